// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP

/// One process of the person: in each round all its tasks ask the server who they are.
struct SoakWorker {
    /// The store of all processes; the folder is `$LATCH_HOME`.
    static var store: KeychainTokenStore { KeychainTokenStore(service: "soak", account: "ada") }

    /// The field that tells the server which process sent a request.
    static let processField: HTTPFieldName = "Soak-Process"

    private let clock = ShiftedClock()
    private let auth: AuthClient
    private let gate: Client
    private let tasks: Int

    /// Creates a worker.
    ///
    /// - Parameter limit: The time limit of a refresh; nil for the policy's own.
    init(url: String, tasks: Int, limit: Duration?) throws {
        guard let url = URL(string: url) else { throw HTTPError.invalidURL }
        var policy = RefreshPolicy()
        if let limit { policy.timeLimit = limit }
        let process = "\(ProcessInfo.processInfo.processIdentifier)"
        let name = ClosureInterceptor { request, next in
            var request = request
            request.fields[Self.processField] = process
            return try await next.respond(to: request)
        }
        auth = AuthClient(
            baseURL: url, store: Self.store, policy: policy, interceptors: [name], clock: clock.wallClock)
        gate = Client(baseURL: url, timeout: .seconds(3600))
        self.tasks = tasks
    }

    /// Enters the section in which the record is replaced, and stops there, as by Control-Z at the worst moment.
    static func stopInsideOfStore() async throws {
        let lock = try await platformCoordination(service: "soak", account: "ada").enter(.store)
        FileHandle.standardOutput.write(Data("inside\n".utf8))
        raise(SIGSTOP)
        lock.release()
    }

    /// Plays round after round, reports each, and ends when the server does.
    func run() async throws {
        var last = 0
        while let round = try? await nextRound(after: last) {
            last = round.number
            clock.seconds = round.offset
            let isMember = round.members?.contains(ProcessInfo.processInfo.processIdentifier) ?? true
            var report = isMember ? await storm(in: round) : RoundReport()
            report.round = round.number
            FileHandle.standardOutput.write(Data("\(report.line)\n".utf8))
        }
    }

    private func nextRound(after number: Int) async throws -> Gate.Round {
        let response = try await gate.respond(to: gate.request(.get, "gate/\(number)"))
        return Gate.Round(try JSONValue(parsing: response.body.bytes))
    }

    /// All tasks concurrently; only one of them signs out.
    private func storm(in round: Gate.Round) async -> RoundReport {
        await withTaskGroup(of: RoundReport.self) { group in
            for _ in 0..<(round.action == .signOut ? 1 : tasks) { group.addTask { await perform(round) } }
            return await group.reduce(into: RoundReport()) { $0.add($1) }
        }
    }

    private func perform(_ round: Gate.Round) async -> RoundReport {
        var report = RoundReport()
        let start = ContinuousClock.now
        do {
            switch round.action {
            case .requestProfile:
                guard try await auth.profile().email == "ada@example.com" else { throw AccountError.invalidResponse }
            case .signOut: _ = try await auth.signOut()
            }
            report.add(nil, after: ContinuousClock.now - start)
        } catch {
            FileHandle.standardError.write(Data("round \(round.number): \(error)\n".utf8))
            report.add(error, after: ContinuousClock.now - start)
        }
        return report
    }
}
