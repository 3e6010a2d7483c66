// The program ends before main: what it ended with is said.
// gabion: verdict=error message="before main, where runs begin: exit status 3"
#include <stdlib.h>

__attribute__((constructor)) static void early(void) { exit(3); }

int main(void) { return 0; }
