// A pty, a terminal and the built programs, for the tests.
