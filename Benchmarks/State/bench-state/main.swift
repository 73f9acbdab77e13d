// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import Baselines
import CMeasure
import Foundation
import LatchRPC
import UserService

// How long it takes from an answer that is there to a reader of the state, and what one action costs.
//
//     bench-state [--check]
//
// The service answers immediately, so that nothing is measured but the client. The limit is that of a frame's hundredth
// part: 100 µs from the call of an action to the reader of the state, also for the slowest of a hundred.

struct Reducer: UserManagerReducer {
    func register(_ request: RegisterRequest, response answer: AuthResponse, state: inout UserManagerState) {}
    func login(_ request: LoginRequest, response answer: AuthResponse, state: inout UserManagerState) {
        if let session = answer.session { state.sessions = [session] }
    }
    func logout(_ request: LogoutRequest, state: inout UserManagerState) {}
    func refreshToken(_ request: RefreshTokenRequest, response answer: AuthResponse, state: inout UserManagerState) {}
    func getProfile(_ request: GetProfileRequest, response answer: User, state: inout UserManagerState) {}
    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, response answer: AuthResponse, state: inout UserManagerState
    ) {}
}

func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }

/// The duration of a series of actions.
struct Series {
    /// Microseconds from the call of an action to the reader, in order.
    var times: [Double] = []
    /// Blocks of memory for each action, its reader included.
    var allocations = 0.0

    func share(_ percent: Int) -> Double { times[times.count * percent / 100] }
}

/// The time from the answer to the reader, for `count` actions with `users` users in the state.
func measure(users: Int, count: Int) async throws -> Series {
    let service = UserServiceFake()
    let clock = ContinuousClock()
    service.onVerifyEmail = { request in User(id: "7", email: request.verificationToken) }
    let state = UserManagerState(users: (0..<users).map { User(id: "\($0)", email: "\($0)@example.com") })
    let client = UserManagerClient(service: service, reducer: Reducer(), initialState: state)
    let (times, sink) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let reader = Task {
        var last = ""
        for await state in client.stateStream {
            let email = state.user(withId: "7")?.email ?? ""
            if email != last { sink.yield(clock.now) }
            last = email
        }
    }
    var seen = times.makeAsyncIterator()
    _ = await seen.next()
    var series = Series()
    let blocks = measure_allocations()
    for turn in 0..<count {
        let start = clock.now
        try await client.process(.verifyEmail(VerifyEmailRequest(verificationToken: "turn \(turn)")))
        if let end = await seen.next() { series.times.append(microseconds(end - start)) }
    }
    series.allocations = Double(measure_allocations() - blocks) / Double(count)
    reader.cancel()
    series.times.sort()
    return series
}

/// Whether a figure keeps to its limit, printed.
func holds(_ what: String, _ value: Double, atMost limit: Double?) -> Bool {
    let isKept = value <= limit ?? .infinity
    let verdict = limit.map { String(format: "limit ≤ %.1f  %@", $0, isKept ? "PASS" : "FAIL") } ?? "no baseline"
    print(String(format: "  %@ %8.1f  %@", what.padding(toLength: 34, withPad: " ", startingAt: 0), value, verdict))
    return isKept
}

let baseline = Baseline("Benchmarks/State/allocations.txt")
var missed = 0
for users in [8, 20, 200] {
    _ = try await measure(users: users, count: 500)
    let series = try await measure(users: users, count: 5_000)
    print("\(users) users in the state")
    if !holds("median, µs", series.share(50), atMost: 100) { missed += 1 }
    if !holds("99 of 100, µs", series.share(99), atMost: 100) { missed += 1 }
    // A reader that comes late sees several changes as one, and costs less.
    let known = baseline["users-\(users)"].map { $0 + 2 }
    if !holds("blocks of memory for each action", series.allocations, atMost: known) { missed += 1 }
}
print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
