// Two threads take two locks in opposite orders, in the first round.
// gabion: verdict=bug kind=deadlock
// gabion: args=--budget-runs 10000
#define COUNT \
    if (round == 0 && me < 2) { \
        pthread_mutex_lock(&lock[me ? 3 : 2]); \
        pthread_mutex_lock(&lock[me ? 2 : 3]); \
        pthread_mutex_unlock(&lock[2]); \
        pthread_mutex_unlock(&lock[3]); \
    }
#define CHECK (void)limit_seen, (void)hits;
#include "hopeless.h"
