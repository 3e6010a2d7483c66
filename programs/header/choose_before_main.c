// gabion: verdict=error message=gabion_choose
// Runs cannot begin before main does.
#include <gabion.h>

static int size;

__attribute__((constructor)) static void early(void) { size = gabion_choose(2); }

int main(void) {
    return size;
}
