import Testing

@testable import Resources

@Suite struct LoggedAddressTests {
  @Test(arguments: [
    ("https://h/a/b.mp4", "https://h/a/b.mp4"),
    ("http://anna:CANARY@h:81/a?", "http://h:81/a?"),
    ("https://h/a?page=2&size=640", "https://h/a?page=2&size=640"),
    ("https://h/a?token=CANARY&w=9", "https://h/a?token=...&w=9"),
    ("https://h/a?k=CANARY", "https://h/a?k=..."),
    ("https://h/a?CANARY", "https://h/a?..."),
    // A number may be a secret too, by its name or its length.
    ("https://h/a?pin=1234&OTP=1&n=1234567", "https://h/a?pin=...&OTP=...&n=..."),
    ("https://h/a?X-Amz-Signature=CANARY;Expires=99", "https://h/a?X-Amz-Signature=...;Expires=99"),
    ("https://h/a?x=1/CANARY", "https://h/a?x=.../..."),
    ("https://h/a?Q0FOQVJZ==", "https://h/a?..."), ("https://h/a?Q0FOQVJZ=", "https://h/a?..."),
    ("https://h/a?pw=1234&mfa=123456", "https://h/a?pw=...&mfa=..."),
    ("https://h/clip.mp4;jsessionid=CANARY", "https://h/clip.mp4;jsessionid=..."),
    ("https://h/web/https://anna:CANARY@i/x.mp4", "https://h/web/https://...@i/x.mp4"),
    ("https://h/bot123:AAHCANARYabcdefgh12/x.jpg", "https://h/.../x.jpg"),
    (
      "https://h/0a1b2c3d4e5f60718293a4b5/0a1b2c3d4e5f60718293.mp4",
      "https://h/.../0a1b2c3d4e5f60718293.mp4"
    ),
    ("https://h/a?u=https://anna:CANARY@h/", "https://h/a?u=...//.../"),
    ("https://h/bcdn_token=CANARY&expires=99/b.mp4", "https://h/bcdn_token=...&expires=99/b.mp4"),
  ])
  func logged_showsNoSecret(url: String, logged: String) throws {
    #expect(try #require(WebAddress(url)).logged == logged)
  }
}
