// system is a fork and an exec.
// gabion: verdict=error message=system
#include <stdlib.h>

int main(void) { return system("true"); }
