// OpenMP's threads are made by a library that is not modelled: refused where they are made.
// gabion: verdict=error message="not supported: GOMP_parallel, called at"
// gabion: args=--cflags -fopenmp
int main(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum++;
    return sum < 1;
}
