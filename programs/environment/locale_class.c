// Whether a wide character is a letter depends on it.
// gabion: verdict=bug kind=assertion
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <wctype.h>

static void *work(void *arg) {
    setlocale(LC_CTYPE, "C.UTF-8");
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    int letter = iswalpha(0xe4) != 0;
    pthread_join(other, 0);
    assert(!letter);
    return 0;
}
