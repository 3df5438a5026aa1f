// Compiles a function twice: for any processor, and for those with AVX2.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define POSTIL_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define POSTIL_WIDE
#endif
