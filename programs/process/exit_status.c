// A non-zero exit status is a finding.
// gabion: verdict=bug kind=exit runs=1
// gabion: compilers=gcc,clang
#include <stdlib.h>

int main(void) { exit(3); }
