// The environment belongs to all threads: one changes what another has found.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    setenv("GABION_TRY", "2", 1);
    return arg;
}

int main(void) {
    pthread_t other;
    setenv("GABION_TRY", "1", 1);
    pthread_create(&other, 0, work, 0);
    assert(*getenv("GABION_TRY") == '1');
    pthread_join(other, 0);
    return 0;
}
