// What must hold at the end is looked at with every status that says that all is well.
// gabion: verdict=bug kind=assertion
// gabion: args=--exit-status 6
// gabion: native=no
#include <gabion.h>
#include <pthread.h>

static int done;

gabion_assert_at_end(done == 1);

static void *work(void *arg) {
    done++;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 6;
}
