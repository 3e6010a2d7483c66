// gabion: verdict=bug kind=exit
// Of many values the last is among those explored.
#include <gabion.h>

int main(void) {
    return gabion_choose(1000) == 999;
}
