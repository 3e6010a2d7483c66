// posix_spawn is a fork as well.
// gabion: verdict=error message=posix_spawn
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(void) {
    pid_t child;
    char *argv[] = {"true", 0};
    if (posix_spawn(&child, "/bin/true", 0, 0, argv, environ) == 0)
        waitpid(child, 0, 0);
    return 0;
}
