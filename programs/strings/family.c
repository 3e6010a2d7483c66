// The other memory and string functions still do what they should.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char buffer[64];

int main(void) {
    assert(strncpy(buffer, "hello", 6) == buffer && memcmp(buffer, "hello\0", 6) == 0);
    assert(strcat(buffer, " you") == buffer && strcmp(buffer, "hello you") == 0);
    assert(strncat(buffer, "...", 1) == buffer && strlen(buffer) == 10);
    assert(strchr(buffer, 'l') == buffer + 2 && strrchr(buffer, 'l') == buffer + 3);
    assert(strstr(buffer, "you") == buffer + 6 && strcmp("a", "b") < 0 && strncmp("ab", "ac", 1) == 0);
    assert(memchr(buffer, 'o', 10) == buffer + 4 && strnlen(buffer, 3) == 3);
    assert(strcasecmp("AbC", "aBc") == 0 && strspn(buffer, "hel") == 4 && strcspn(buffer, "o") == 4);
    assert(stpcpy(buffer, "xyz") == buffer + 3 && mempcpy(buffer, "ab", 2) == buffer + 2);
    assert(strcmp(buffer, "abz") == 0);
    char *rest, words[] = "one two";
    assert(strcmp(strtok_r(words, " ", &rest), "one") == 0 && strcmp(strtok_r(NULL, " ", &rest), "two") == 0);
    assert(snprintf(buffer, sizeof buffer, "%d-%s", 5, "x") == 3 && strcmp(buffer, "5-x") == 0);
    assert(atoi("42") == 42 && strtol("0x10", NULL, 0) == 16);
    return 0;
}
