/*
 * The wall clock of a program, moved by DEBITDESK_CLOCK_SHIFT seconds; loaded before the C library (LD_PRELOAD). Other
 * clocks stay as they are. Unlike libfaketime it moves the clock in signal handlers, too: the limits of PostgreSQL
 * (lock_timeout, statement_timeout) look at it there, and never ended anything.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int (*asked)(clockid_t, struct timespec *);
static time_t shift;

__attribute__((constructor)) static void begin(void)
{
	const char *seconds = getenv("DEBITDESK_CLOCK_SHIFT");

	shift = seconds ? atoll(seconds) : 0;
	asked = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
	if (!asked) /* another library began before us */
		begin();
	int failed = asked(clock, at);

	if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		at->tv_sec += shift;
	return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	at->tv_sec = now.tv_sec;
	at->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *at)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (at)
		*at = now.tv_sec;
	return now.tv_sec;
}
