// The same with points at synchronisation alone: nothing is found.
// gabion: verdict=complete caveat=fewer-points
// gabion: args=--preempt sync
#include "two_windows.h"
