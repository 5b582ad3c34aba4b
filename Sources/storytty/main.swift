import Glibc
import System

let start = Instant.now
exit(Program(start: start).run(Arguments.all))
