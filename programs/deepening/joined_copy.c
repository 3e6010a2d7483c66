// A copy reads one variable and writes another: one statement, one point. The one written is only touched under the lock, the one
// read is not, so the race is of the second access; the point that it asks for is that of the statement.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <assert.h>
#include <pthread.h>

struct small {
    char byte[3];
};

static struct small mine, yours;
static int before, after;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *copies(void *arg) {
    pthread_mutex_lock(&lock);
    before = yours.byte[0];
    mine = yours;
    after = mine.byte[0];
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *touches(void *arg) {
    pthread_mutex_lock(&lock);
    mine.byte[1] = 7;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, copies, 0);
    pthread_create(&b, 0, touches, 0);
    yours.byte[0] = 1;
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(before == after);
}
