// The program's own arguments arrive.
// gabion: verdict=verified
// gabion: argv=two 2
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    assert(argc == 3);
    assert(strcmp(argv[1], "two") == 0 && atoi(argv[2]) == 2);
    return 0;
}
