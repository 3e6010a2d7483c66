// The strings of libstdc++ are compiled with the program, and so instrumented with it, instead of being taken from the
// library. (Its own assertions do the same.)
#pragma GCC system_header
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
