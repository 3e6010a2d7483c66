// A hardware transaction is refused by name, whatever this processor makes of it.
// gabion: verdict=error message="hardware transactions (xbegin at"
// gabion: args=--cflags -mrtm
// gabion: native=no
#include <immintrin.h>
#include <pthread.h>

static int counter;

static void *work(void *arg) {
    if (_xbegin() == _XBEGIN_STARTED) {
        counter++;
        _xend();
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
