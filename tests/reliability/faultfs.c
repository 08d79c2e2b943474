/* Preloaded library that injects faults into the file system calls of a program. It counts the changes to
 * files under one folder, makes the n-th change fail or kills the program there, shifts the system clock,
 * and keeps a copy of the data that a power cut would leave. Environment variables:
 *
 * FAULTFS_ROOT     watched folder
 * FAULTFS_CONTROL  file of 64 bytes (struct control), shared by all processes and written by the test
 * FAULTFS_CLOCK    optional: seconds by which the clock is wrong in this process
 * FAULTFS_TRACE    optional: file to which every change is appended
 * FAULTFS_DISK     optional: folder for synced data. inode/<n> contains the last synced contents of a file,
 *                  folder/<n> the last synced names in a folder
 * FAULTFS_NO_SYNC  optional: do not sync the real disk
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, KILL_BEFORE, KILL_AFTER, NO_SPACE, IO_ERROR, SHORT_WRITE };

struct control {
    uint64_t count;   /* number of changes so far */
    uint64_t target;  /* number of the change into which the fault is injected */
    uint32_t kind;
    uint32_t lasting; /* whether all later changes fail too */
    uint64_t hits;
    int64_t clock;    /* seconds by which the system clock is wrong */
};

#define N_FILES 8192
static struct control *control;
static char root[PATH_MAX];
static size_t root_length;
static const char *trace_path, *disk;
static unsigned char watched[N_FILES]; /* 0 unknown, 1 no, 2 yes */
static __thread int inside;

static int64_t own_clock;

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("FAULTFS_ROOT"), *path = getenv("FAULTFS_CONTROL");
    trace_path = getenv("FAULTFS_TRACE");
    disk = getenv("FAULTFS_DISK");
    const char *seconds = getenv("FAULTFS_CLOCK");
    if (seconds) own_clock = atoll(seconds);
    if (!folder || !path || !realpath(folder, root)) return;
    root_length = strlen(root);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
    if (fd < 0) return;
    void *memory = mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (memory != MAP_FAILED) control = memory;
}

static int is_under(const char *path) {
    return control && !strncmp(path, root, root_length) &&
           (path[root_length] == '/' || path[root_length] == 0);
}

static int path_is_watched(int at, const char *path) {
    char whole[PATH_MAX];
    if (!control || inside) return 0;
    if (path[0] == '/') return is_under(path);
    if (at == AT_FDCWD) {
        if (!getcwd(whole, sizeof whole)) return 0;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", at);
        ssize_t n = readlink(link, whole, sizeof whole - 1);
        if (n < 0) return 0;
        whole[n] = 0;
    }
    size_t n = strlen(whole);
    snprintf(whole + n, sizeof whole - n, "/%s", path);
    return is_under(whole);
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, size - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return 1;
}

static int file_is_watched(int fd) {
    char path[PATH_MAX];
    if (!control || inside || fd < 0) return 0;
    if (fd < N_FILES && watched[fd]) return watched[fd] == 2;
    int yes = path_of(fd, path, sizeof path) && is_under(path);
    if (fd < N_FILES) watched[fd] = yes ? 2 : 1;
    return yes;
}

static void trace(const char *what, const char *path, uint64_t number) {
    char line[PATH_MAX + 64];
    if (!trace_path) return;
    int n = snprintf(line, sizeof line, "%llu %s %s\n", (unsigned long long)number, what, path);
    int fd = syscall(SYS_openat, AT_FDCWD, trace_path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd < 0) return;
    syscall(SYS_write, fd, line, n);
    syscall(SYS_close, fd);
}

/* Count a change that is about to happen; return the fault to inject. */
static enum kind next(const char *what, const char *path) {
    uint64_t number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
    trace(what, path, number);
    if (!control->kind || !control->target) return NONE;
    if (number != control->target && !(control->lasting && number > control->target)) return NONE;
    __atomic_add_fetch(&control->hits, 1, __ATOMIC_SEQ_CST);
    if (control->kind == KILL_BEFORE) kill(0, SIGKILL);
    return control->kind;
}

static enum kind next_of_file(const char *what, int fd) {
    char path[PATH_MAX] = "?";
    if (trace_path) path_of(fd, path, sizeof path);
    return next(what, path);
}

static int fails(enum kind kind) {
    if (kind == NO_SPACE) errno = ENOSPC;
    else if (kind == IO_ERROR || kind == SHORT_WRITE) errno = EIO;
    else return 0;
    return 1;
}

static void done(enum kind kind) {
    if (kind == KILL_AFTER) kill(0, SIGKILL);
}

/* --- synced data, which a power cut would leave --------------------------------------------- */
static void copy_durable(int fd, const struct stat *status) {
    char target[PATH_MAX], partial[PATH_MAX + 16], buffer[65536];
    snprintf(target, sizeof target, "%s/inode/%llu", disk, (unsigned long long)status->st_ino);
    snprintf(partial, sizeof partial, "%s.%d", target, (int)syscall(SYS_gettid));
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", fd);
    int from = syscall(SYS_openat, AT_FDCWD, source, O_RDONLY);
    int to = syscall(SYS_openat, AT_FDCWD, partial, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t n;
    while (from >= 0 && to >= 0 && (n = syscall(SYS_read, from, buffer, sizeof buffer)) > 0)
        syscall(SYS_write, to, buffer, n);
    if (from >= 0) syscall(SYS_close, from);
    if (to >= 0) syscall(SYS_close, to);
    syscall(SYS_renameat, AT_FDCWD, partial, AT_FDCWD, target);
}

static void list_durable(int fd, const struct stat *status) {
    char path[PATH_MAX], target[PATH_MAX], partial[PATH_MAX + 16];
    if (!path_of(fd, path, sizeof path)) return;
    snprintf(target, sizeof target, "%s/folder/%llu", disk, (unsigned long long)status->st_ino);
    snprintf(partial, sizeof partial, "%s.%d", target, (int)syscall(SYS_gettid));
    inside = 1;
    DIR *folder = opendir(path);
    FILE *out = folder ? fopen(partial, "w") : NULL;
    struct dirent *entry;
    while (out && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            fprintf(out, "%llu %c %s\n", (unsigned long long)entry->d_ino,
                    entry->d_type == DT_DIR ? 'd' : 'f', entry->d_name);
    if (out) fclose(out);
    if (folder) closedir(folder);
    inside = 0;
    syscall(SYS_renameat, AT_FDCWD, partial, AT_FDCWD, target);
}

static void note_durable(int fd) {
    struct stat status;
    if (!disk || fstat(fd, &status)) return;
    if (S_ISDIR(status.st_mode)) list_durable(fd, &status);
    else if (S_ISREG(status.st_mode)) copy_durable(fd, &status);
}

/* A new file or folder may have the inode number of a deleted one: delete the synced data of that one. */
static void forget_durable(const char *kind, const struct stat *status) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%llu", disk, kind, (unsigned long long)status->st_ino);
    syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* --- opening ---------------------------------------------------------------------------------- */
static int open_at(int at, const char *path, int flags, mode_t mode) {
    int creates = (flags & (O_CREAT | O_TRUNC)) && path_is_watched(at, path);
    enum kind kind = creates ? next("open", path) : NONE;
    if (fails(kind)) return -1;
    int fd = syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && fd < N_FILES) watched[fd] = 0;
    struct stat status;
    if (creates && disk && fd >= 0 && !fstat(fd, &status) && !status.st_size)
        forget_durable("inode", &status);
    done(kind);
    return fd;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return open_at(at, path, flags | O_LARGEFILE, mode); }
int close(int fd) {
    if (fd >= 0 && fd < N_FILES) watched[fd] = 0;
    return syscall(SYS_close, fd);
}

/* --- writing ------------------------------------------------------------------------------------ */
static ssize_t half(enum kind kind, size_t size, size_t *part) {
    *part = size;
    if (kind == SHORT_WRITE && size > 1) { *part = size / 2; return 1; }
    return 0;
}

ssize_t write(int fd, const void *data, size_t size) {
    if (!file_is_watched(fd)) return syscall(SYS_write, fd, data, size);
    enum kind kind = next_of_file("write", fd);
    size_t part;
    if (!half(kind, size, &part) && fails(kind)) return -1;
    ssize_t n = syscall(SYS_write, fd, data, part);
    done(kind);
    return n;
}

static ssize_t write_at(int fd, const void *data, size_t size, off64_t where) {
    if (!file_is_watched(fd)) return syscall(SYS_pwrite64, fd, data, size, where);
    enum kind kind = next_of_file("write", fd);
    size_t part;
    if (!half(kind, size, &part) && fails(kind)) return -1;
    ssize_t n = syscall(SYS_pwrite64, fd, data, part, where);
    done(kind);
    return n;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t where) { return write_at(fd, data, size, where); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t where) { return write_at(fd, data, size, where); }

ssize_t writev(int fd, const struct iovec *parts, int n_parts) {
    enum kind kind = file_is_watched(fd) ? next_of_file("write", fd) : NONE;
    if (fails(kind)) return -1;
    ssize_t n = syscall(SYS_writev, fd, parts, n_parts);
    done(kind);
    return n;
}

static int cut(int fd, off64_t size) {
    enum kind kind = file_is_watched(fd) ? next_of_file("truncate", fd) : NONE;
    if (fails(kind)) return -1;
    int result = syscall(SYS_ftruncate, fd, size);
    done(kind);
    return result;
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

/* --- syncing ---------------------------------------------------------------------------------- */
static int sync_file(int fd, long call) {
    int ours = file_is_watched(fd);
    enum kind kind = ours ? next_of_file("sync", fd) : NONE;
    if (fails(kind)) return -1;
    int result = getenv("FAULTFS_NO_SYNC") ? 0 : (int)syscall(call, fd);
    if (ours && !result) note_durable(fd);
    done(kind);
    return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

/* --- names -------------------------------------------------------------------------------------- */
static int rename_at(int from, const char *old, int to, const char *new, unsigned flags) {
    enum kind kind = path_is_watched(to, new) ? next("rename", new) : NONE;
    if (fails(kind)) return -1;
    int result = syscall(SYS_renameat2, from, old, to, new, flags);
    done(kind);
    return result;
}
int rename(const char *old, const char *new) { return rename_at(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return rename_at(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) { return rename_at(from, old, to, new, flags); }

static int link_at(int from, const char *old, int to, const char *new, int flags) {
    enum kind kind = path_is_watched(to, new) ? next("link", new) : NONE;
    if (fails(kind)) return -1;
    int result = syscall(SYS_linkat, from, old, to, new, flags);
    done(kind);
    return result;
}
int link(const char *old, const char *new) { return link_at(AT_FDCWD, old, AT_FDCWD, new, 0); }
int linkat(int from, const char *old, int to, const char *new, int flags) { return link_at(from, old, to, new, flags); }

static int unlink_at(int at, const char *path, int flags) {
    enum kind kind = path_is_watched(at, path) ? next("unlink", path) : NONE;
    if (fails(kind)) return -1;
    int result = syscall(SYS_unlinkat, at, path, flags);
    done(kind);
    return result;
}
int unlink(const char *path) { return unlink_at(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return unlink_at(at, path, flags); }
int rmdir(const char *path) { return unlink_at(AT_FDCWD, path, AT_REMOVEDIR); }

static int make_folder(int at, const char *path, mode_t mode) {
    enum kind kind = path_is_watched(at, path) ? next("mkdir", path) : NONE;
    if (fails(kind)) return -1;
    int result = syscall(SYS_mkdirat, at, path, mode);
    struct stat status;
    if (disk && !result && path_is_watched(at, path) && !fstatat(at, path, &status, 0))
        forget_durable("folder", &status);
    done(kind);
    return result;
}
int mkdir(const char *path, mode_t mode) { return make_folder(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return make_folder(at, path, mode); }

/* --- system clock ------------------------------------------------------------------------------- */
static int64_t wrong_by(void) { return own_clock + (control ? control->clock : 0); }

int clock_gettime(clockid_t which, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, which, now);
    if (!result && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += wrong_by();
    return result;
}

int gettimeofday(struct timeval *now, void *zone) {
    int result = syscall(SYS_gettimeofday, now, zone);
    if (!result) now->tv_sec += wrong_by();
    return result;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
