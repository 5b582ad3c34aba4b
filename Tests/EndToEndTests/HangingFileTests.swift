import Glibc
import Support
import System
import Testing

extension EndToEnd {
  /// Files on a mount that does not answer any more, as a network file system whose server is gone:
  /// imitated by a library that keeps whoever opens, reads or closes one of them waiting.
  @Suite(.serialized) struct HangingFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// From now on, files whose names begin with "mount" hang.
    private func hang() throws { try folder.write([], to: "hangs") }

    private func library() throws -> String {
      let compiler = try #require(Programs.installed("gcc"))
      let source = try folder.write(
        """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        static void wait_for(const char *path) {
          if (!path || !strstr(path, "/mount")) return;
          while (access(getenv("HANGS"), F_OK) == 0) usleep(10000);
        }
        static void wait_for_file(int file) {
          char link[64], path[4096];
          snprintf(link, sizeof link, "/proc/self/fd/%d", file);
          ssize_t length = readlink(link, path, sizeof path - 1);
          if (length <= 0) return;
          path[length] = 0;
          wait_for(path);
        }
        #define NEXT(name) dlsym(RTLD_NEXT, #name)
        #define OPENS(name)                                                \\
          int name(const char *path, int flags, ...) {                     \\
            va_list list;                                                  \\
            va_start(list, flags);                                         \\
            int mode = va_arg(list, int);                                  \\
            va_end(list);                                                  \\
            wait_for(path);                                                \\
            int (*real)(const char *, int, ...) = NEXT(name);              \\
            return real(path, flags, mode);                                \\
          }
        OPENS(open)
        OPENS(open64)
        #define READS(name)                                                \\
          ssize_t name(int file, void *bytes, size_t count, off_t offset) {\\
            wait_for_file(file);                                           \\
            ssize_t (*real)(int, void *, size_t, off_t) = NEXT(name);      \\
            return real(file, bytes, count, offset);                       \\
          }
        READS(pread)
        READS(pread64)
        int close(int file) {
          wait_for_file(file);
          int (*real)(int) = NEXT(close);
          return real(file);
        }
        """, to: "hanging.c")
      let library = folder.path("hanging.so")
      let made = try run(compiler, ["-shared", "-fPIC", "-o", library, source, "-ldl"])
      #expect(made.status == 0, "\(made.errorText)")
      return library
    }

    private func play(_ arguments: [String]) throws -> Play {
      try Play(
        arguments + ["--volume", "0"],
        environment: ["LD_PRELOAD": library(), "HANGS": folder.path("hangs")])
    }

    private func picture(_ color: UInt32, _ name: String) throws -> String {
      try folder.write(makePNG(width: 16, height: 16) { _, _ in color }, to: name)
    }

    @Test(arguments: [true, false]) func file_thatHangs_costsItsStoryAlone(preloads: Bool) throws {
      let files = try [
        picture(0xFF0000, "1.png"), picture(0xFFFFFF, "mount-2.png"), picture(0x0000FF, "3.png"),
        picture(0x00FF00, "4.png"),
      ]
      let play = try play(
        ["--manual"] + (preloads ? [] : ["--no-preload"]) + files)
      #expect(play.waitFor(color: 0xFF0000))
      try hang()
      play.press(.right)
      // The viewer sees what is waited for, and keys work. One that was kept ready may be shown.
      if !preloads {
        #expect(play.waitFor("mount-2.png"))
        play.watch(for: .milliseconds(300))
        #expect(!shows(0xFFFFFF, on: play.terminal.screen))
      }
      play.press(.right)
      #expect(play.waitFor(color: 0x0000FF))
      play.press(.right)
      #expect(play.waitFor(color: 0x00FF00))
      play.press(.left)
      play.press(.left)
      play.press(.left)
      #expect(play.waitFor(color: 0xFF0000))
      let asked = Instant.now
      #expect(play.quit()?.shellStatus == 0)
      #expect(Instant.now - asked < .seconds(2))
      play.expectRestored()
    }

    /// It plays when the mount answers again.
    @Test func file_thatHangsForAWhile_isShownThen() throws {
      let files = try [picture(0xFF0000, "1.png"), picture(0x00FFFF, "mount-2.png")]
      let play = try play(["--manual", "--no-preload"] + files)
      #expect(play.waitFor(color: 0xFF0000))
      try hang()
      play.press(.right)
      #expect(play.waitFor("mount-2.png"))
      play.watch(for: .milliseconds(300))
      #expect(!shows(0x00FFFF, on: play.terminal.screen))
      unlink(folder.path("hangs"))
      #expect(play.waitFor(color: 0x00FFFF))
      #expect(play.quit()?.shellStatus == 0)
    }
  }
}
