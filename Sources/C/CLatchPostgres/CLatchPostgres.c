// SPDX-License-Identifier: Apache-2.0
// The functions below have libpq's names, are visible only to this program, and forward to the library, which the first
// call loads.
#include "CLatchPostgres.h"

#include <dlfcn.h>
#include <pthread.h>

#define FORWARDED __attribute__((visibility("hidden")))

#ifdef __APPLE__
#define LIBRARY "libpq.5.dylib"
#else
#define LIBRARY "libpq.so.5"
#endif

// Each function: its result, name, parameters and arguments, and its result if the library cannot be loaded.
#define FUNCTIONS(F)                                                                                                   \
    F(PQconninfoOption *, PQconninfoParse, (const char *text, char **error), (text, error), NULL)                      \
    F(void, PQconninfoFree, (PQconninfoOption * options), (options), (void)0)                                          \
    F(void, PQfreemem, (void *memory), (memory), (void)0)                                                              \
    F(PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand),               \
      (keywords, values, expand), NULL)                                                                                \
    F(void, PQfinish, (PGconn * connection), (connection), (void)0)                                                    \
    F(int, PQstatus, (const PGconn *connection), (connection), 1)                                                      \
    F(int, PQtransactionStatus, (const PGconn *connection), (connection), 4)                                           \
    F(char *, PQerrorMessage, (const PGconn *connection), (connection), NULL)                                          \
    F(int, PQsocket, (const PGconn *connection), (connection), -1)                                                     \
    F(int, PQbackendPID, (const PGconn *connection), (connection), 0)                                                  \
    F(int, PQserverVersion, (const PGconn *connection), (connection), 0)                                               \
    F(int, PQsetErrorVerbosity, (PGconn * connection, int verbosity), (connection, verbosity), 0)                      \
    F(void, PQreset, (PGconn * connection), (connection), (void)0)                                                     \
    F(int, PQsslInUse, (PGconn * connection), (connection), 0)                                                         \
    F(int, PQconnectionNeedsPassword, (const PGconn *connection), (connection), 0)                                     \
    F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *argument),         \
      (connection, receiver, argument), NULL)                                                                          \
    F(int, PQsetnonblocking, (PGconn * connection, int on), (connection, on), -1)                                      \
    F(int, PQenterPipelineMode, (PGconn * connection), (connection), 0)                                                \
    F(int, PQpipelineSync, (PGconn * connection), (connection), 0)                                                     \
    F(int, PQsendFlushRequest, (PGconn * connection), (connection), 0)                                                 \
    F(int, PQflush, (PGconn * connection), (connection), -1)                                                           \
    F(int, PQconsumeInput, (PGconn * connection), (connection), 0)                                                     \
    F(int, PQisBusy, (PGconn * connection), (connection), 0)                                                           \
    F(int, PQsendPrepare, (PGconn * connection, const char *name, const char *sql, int count, const Oid *types),       \
      (connection, name, sql, count, types), 0)                                                                        \
    F(int, PQsendQueryPrepared,                                                                                        \
      (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,                \
       const int *formats, int format),                                                                                \
      (connection, name, count, values, lengths, formats, format), 0)                                                  \
    F(int, PQsendQueryParams,                                                                                          \
      (PGconn * connection, const char *sql, int count, const Oid *types, const char *const *values,                   \
       const int *lengths, const int *formats, int format),                                                            \
      (connection, sql, count, types, values, lengths, formats, format), 0)                                            \
    F(PGresult *, PQgetResult, (PGconn * connection), (connection), NULL)                                              \
    F(int, PQresultStatus, (const PGresult *result), (result), latch_fatal_error)                                      \
    F(char *, PQresultErrorField, (const PGresult *result, int field), (result, field), NULL)                          \
    F(char *, PQcmdStatus, (PGresult * result), (result), NULL)                                                        \
    F(char *, PQcmdTuples, (PGresult * result), (result), NULL)                                                        \
    F(int, PQntuples, (const PGresult *result), (result), 0)                                                           \
    F(char *, PQfname, (const PGresult *result, int column), (result, column), NULL)                                   \
    F(Oid, PQftype, (const PGresult *result, int column), (result, column), 0)                                         \
    F(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column), 1)                       \
    F(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column), 0)                       \
    F(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column), NULL)                  \
    F(void, PQclear, (PGresult * result), (result), (void)0)

#define POINTER(result, name, parameters, arguments, otherwise) result(*name) parameters;
static struct {
    FUNCTIONS(POINTER)
} library;

static bool is_loaded;

static void load(void) {
    // libpq registers callbacks with OpenSSL, so it must never be unloaded.
    void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) return;
#define FIND(result, name, parameters, arguments, otherwise)                                                           \
    *(void **)&library.name = dlsym(handle, #name);                                                                    \
    if (library.name == NULL) return;
    FUNCTIONS(FIND)
    is_loaded = true;
}

FORWARDED bool latch_postgres_is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

#define FORWARD(result, name, parameters, arguments, otherwise)                                                        \
    FORWARDED result name parameters { return latch_postgres_is_available() ? library.name arguments : otherwise; }
FUNCTIONS(FORWARD)
