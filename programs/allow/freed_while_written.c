// The same with a reader-writer lock in a block that is moved.
// gabion: verdict=bug kind=use-after-free
// gabion: native=no
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table {
    pthread_rwlock_t lock;
    int entries[4];
};

static struct table *table;
static atomic_int writing;

static void *write_entry(void *arg) {
    struct table *mine = table;
    pthread_rwlock_wrlock(&mine->lock);
    atomic_store(&writing, 1);
    mine->entries[0] = 1;
    pthread_rwlock_unlock(&mine->lock);
    return arg;
}

int main(void) {
    pthread_t thread;
    table = malloc(sizeof *table);
    pthread_rwlock_init(&table->lock, 0);
    pthread_create(&thread, 0, write_entry, 0);
    if (atomic_load(&writing)) {
        table = realloc(table, 2 * sizeof *table);
    }
    pthread_join(thread, 0);
    return 0;
}
