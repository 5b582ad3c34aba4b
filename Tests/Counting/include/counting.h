#pragma once

/// How often the calling thread has allocated memory so far, by whatever function of the C library.
unsigned long counted_allocations(void);
