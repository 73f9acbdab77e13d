// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import Synchronization

/// The one writer of a store: all writes that wait are committed together.
///
/// A durable commit costs one fsync (some milliseconds), however many rows it holds. So the writer takes everything
/// that waits, runs each job within a savepoint of its own, commits once, and only then tells each caller its result.
/// A job that fails takes back its own savepoint and nobody else's; a commit that fails fails all of its jobs.
final class SQLiteWriter: Sendable {
    /// Work that waits for the next transaction.
    ///
    /// Exactly one of the two closures leads to an answer, exactly once.
    private struct Job: Sendable {
        /// Runs the work, and gives what tells its caller how it ended, once that is known.
        let run: @Sendable (SQLiteConnection) -> Outcome
        /// Tells the caller that the work was not tried.
        let refuse: @Sendable (IdentityError) -> Void
    }

    /// How a job ended, kept until the commit has decided whether that counts.
    private struct Outcome {
        let failure: IdentityError?
        /// Tells the caller: its own result or, when the transaction was lost, that error.
        let report: (IdentityError?) -> Void
    }

    /// Guarded by the lock; the connection itself is touched on the queue alone.
    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
        var tally = StoreTally()
    }

    /// Used on `queue` alone.
    private let connection: SQLiteConnection
    private let queue = DispatchQueue(label: "latch.store.writer")
    private let state = Mutex(State())
    /// Beyond it writes are refused with `IdentityError.overloaded`: a wedged disk must not collect a process's memory.
    private let maximumWaiting: Int
    /// Bounds how long the first of a batch waits for the last.
    private let maximumBatch: Int

    /// Takes the connection over: from now on nobody else may use it.
    ///
    /// - Parameter maximumWaiting: How many jobs may stand in the line; a server under load refuses the next rather
    ///   than promise it an answer that nobody will wait for.
    init(_ connection: SQLiteConnection, maximumWaiting: Int = 8192, maximumBatch: Int = 512) {
        self.connection = connection
        self.maximumWaiting = maximumWaiting
        self.maximumBatch = maximumBatch
    }

    /// Counts of the commits so far; read from any thread.
    var tally: StoreTally { state.withLock { $0.tally } }

    /// Runs `body` in the next transaction and returns once that is durable.
    ///
    /// - Throws: What `body` threw, or why the transaction was lost; in both cases nothing of `body` remains.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        let result = await withCheckedContinuation { continuation in
            submit(body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Commits what waits, moves the log into the file, and refuses what comes later.
    ///
    /// May be called more than once; later calls return at once, perhaps before the first has finished.
    func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        await withCheckedContinuation { continuation in
            queue.async {
                self.drain()
                self.foldLog()
                continuation.resume()
            }
        }
    }

    /// Puts a job into the line, or refuses it, and starts the queue where it stands still.
    ///
    /// `report` is called on the writer's queue, or on the caller's own thread where the job is refused.
    private func submit<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(IdentityError) -> Result,
        report: @escaping @Sendable (Swift.Result<Result, IdentityError>) -> Void
    ) {
        let run = { @Sendable (connection: SQLiteConnection) -> Outcome in
            let result: Swift.Result<Result, IdentityError>
            do throws(IdentityError) {
                result = .success(try body(connection))
            } catch {
                result = .failure(error)
            }
            return Outcome(failure: result.failure) { lost in report(lost.map { .failure($0) } ?? result) }
        }
        let job = Job(run: run, refuse: { report(.failure($0)) })
        let (refusal, mustStart) = state.withLock { state -> (IdentityError?, Bool) in
            guard !state.isClosed else { return (.storeClosed, false) }
            guard state.waiting.count < maximumWaiting else { return (.overloaded, false) }
            state.waiting.append(job)
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let refusal { return report(.failure(refusal)) }
        if mustStart { queue.async { self.drain() } }
    }

    /// On the queue: one batch after another.
    ///
    /// What arrives while a commit runs is the next batch, which is what makes groups.
    private func drain() {
        while true {
            let batch = state.withLock { state -> [Job] in
                let batch = Array(state.waiting.prefix(maximumBatch))
                state.waiting.removeFirst(batch.count)
                state.isDraining = !batch.isEmpty
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch[...])
        }
    }

    /// Moves the log into the file, so that a copy of the file alone is whole.
    private func foldLog() {
        do throws(IdentityError) {
            try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // The log stays beside the file and is read at the next start: nothing is lost, only not yet folded in.
        }
    }
}

extension SQLiteWriter {
    /// One transaction: begin, each job in a savepoint, commit, and only then the answers.
    ///
    /// A process that is killed anywhere in it has told nobody anything that is not in the file.
    private func commit(_ batch: ArraySlice<Job>) {
        var rest = batch
        var outcomes: [Outcome] = []
        do throws(IdentityError) {
            try connection.run("BEGIN IMMEDIATE")
            // A commit into a file that has been replaced would be durable, acknowledged, and lost.
            guard !connection.hasMoved else { throw IdentityError.storeMoved }
            while let job = rest.first {
                try connection.run("SAVEPOINT job")
                rest.removeFirst()
                let outcome = job.run(connection)
                outcomes.append(outcome)
                try settle(outcome)
            }
            try connection.run("COMMIT")
            state.withLock { $0.tally.count(outcomes.count) }
            for outcome in outcomes { outcome.report(nil) }
        } catch {
            abandon(outcomes, because: error, rest: rest)
        }
    }

    /// Keeps what a job did, or takes it back when it failed, and leaves the transaction of the others open.
    private func settle(_ outcome: Outcome) throws(IdentityError) {
        if let failure = outcome.failure {
            // SQLite takes back the whole transaction by itself when the disk is full or broken; then all is lost.
            guard connection.isInTransaction else { throw failure }
            try connection.run("ROLLBACK TO job")
        }
        try connection.run("RELEASE job")
    }

    /// Takes the transaction back, tells those whose work was in it, and goes on with those whose turn had not come.
    private func abandon(_ outcomes: [Outcome], because error: IdentityError, rest: ArraySlice<Job>) {
        if connection.isInTransaction {
            do throws(IdentityError) {
                try connection.run("ROLLBACK")
            } catch {
                // A rollback that fails has nothing to keep: the next BEGIN reports what is wrong with the file.
            }
        }
        for outcome in outcomes { outcome.report(error) }
        // A transaction that never began would not begin now either; one that was lost on the way leaves the others whole.
        if outcomes.isEmpty {
            for job in rest { job.refuse(error) }
        } else if !rest.isEmpty {
            commit(rest)
        }
    }
}

extension StoreTally {
    /// Counts one commit of so many jobs.
    fileprivate mutating func count(_ jobs: Int) {
        commits += 1
        self.jobs += jobs
        largestCommit = max(largestCommit, jobs)
    }
}

extension Result {
    /// The error; nil for a success.
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
