// SPDX-License-Identifier: Apache-2.0
// The part of libpq's interface that LatchPostgres uses, under libpq's names
// (https://www.postgresql.org/docs/current/libpq.html).
//
// It is declared here, and the library is loaded at its first use. So a build needs no header of PostgreSQL, and a
// program whose store is SQLite starts without libpq and its libraries. The ABI is that of libpq.so.5, unchanged since
// 2005.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

/// One option of a connection string.
typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *argument, const PGresult *notice);

/// ConnStatusType.
enum { latch_connection_ok = 0 };

/// ExecStatusType.
enum {
    latch_command_ok = 1,
    latch_tuples_ok = 2,
    latch_fatal_error = 7,
    latch_pipeline_sync = 10,
    latch_pipeline_aborted = 11,
};

/// PGTransactionStatusType.
enum {
    latch_transaction_idle = 0,
    latch_transaction_open = 2,
};

/// PGVerbosity.
enum { latch_verbosity_sqlstate = 3 };

/// The fields of an error.
enum {
    latch_field_severity = 'V',
    latch_field_sqlstate = 'C',
    latch_field_primary = 'M',
    latch_field_constraint = 'n',
    latch_field_function = 'R',
};

/// Returns whether libpq 14 or later, which has the pipeline mode, can be loaded; the other functions need it.
bool latch_postgres_is_available(void);

PQconninfoOption *PQconninfoParse(const char *text, char **error);
void PQconninfoFree(PQconninfoOption *options);
void PQfreemem(void *memory);

PGconn *PQconnectdbParams(const char *const *keywords, const char *const *values, int expand);
void PQfinish(PGconn *connection);
int PQstatus(const PGconn *connection);
int PQtransactionStatus(const PGconn *connection);
char *PQerrorMessage(const PGconn *connection);
int PQsocket(const PGconn *connection);
int PQbackendPID(const PGconn *connection);
int PQserverVersion(const PGconn *connection);
int PQsetErrorVerbosity(PGconn *connection, int verbosity);
void PQreset(PGconn *connection);
int PQsslInUse(PGconn *connection);
int PQconnectionNeedsPassword(const PGconn *connection);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *connection, PQnoticeReceiver receiver, void *argument);

int PQsetnonblocking(PGconn *connection, int on);
int PQenterPipelineMode(PGconn *connection);
int PQpipelineSync(PGconn *connection);
int PQsendFlushRequest(PGconn *connection);
int PQflush(PGconn *connection);
int PQconsumeInput(PGconn *connection);
int PQisBusy(PGconn *connection);
int PQsendPrepare(PGconn *connection, const char *name, const char *sql, int count, const Oid *types);
int PQsendQueryPrepared(PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
                        const int *formats, int format);
int PQsendQueryParams(PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values,
                      const int *lengths, const int *formats, int format);
PGresult *PQgetResult(PGconn *connection);

int PQresultStatus(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
char *PQcmdStatus(PGresult *result);
char *PQcmdTuples(PGresult *result);
int PQntuples(const PGresult *result);
char *PQfname(const PGresult *result, int column);
Oid PQftype(const PGresult *result, int column);
int PQgetisnull(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);
char *PQgetvalue(const PGresult *result, int row, int column);
void PQclear(PGresult *result);
