// The same in a program that makes none on this input. Its library begins by asking for the processors of the calling thread, before main.
// gabion: verdict=complete caveat=uninstrumented-library
// gabion: args=--cflags -fopenmp
int main(int count, char **words) {
    int sum = 0;
    (void)words;
    if (count > 1) {
#pragma omp parallel reduction(+ : sum)
        sum++;
    }
    return sum;
}
