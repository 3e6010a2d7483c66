// 2 threads, main being one, times 4 of { lock, add, unlock, atomic add }.
// gabion: verdict=verified runs=1500
#define K 2
#define N 4
#include "rounds.h"
