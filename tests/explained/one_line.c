// Two checks on one line: what the failing expression does not name is not told, though it differs.
// says: reads stock at one_line.c:38 and finds -1
// never: sold at
// never: refused at
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1, sold, refused;

static void count(int *what) {
    pthread_mutex_lock(&m);
    ++*what;
    pthread_mutex_unlock(&m);
}

static void *buy(void *u) {
    pthread_mutex_lock(&m);
    int left = stock;
    pthread_mutex_unlock(&m);
    if (left > 0) {
        pthread_mutex_lock(&m);
        stock--;
        pthread_mutex_unlock(&m);
        count(&sold);
    } else {
        count(&refused);
    }
    return u;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, buy, 0);
    pthread_create(&b, 0, buy, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sold + refused == 2); assert(stock >= 0);
}
