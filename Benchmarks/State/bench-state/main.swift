// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import LatchRPC
import UserService

// How long it takes from an answer that is there to a reader of the state, and what one action costs.
//
//     swift run -c release bench-state
//
// The service answers at once, so that nothing is measured but the client.

struct Reducer: UserManagerReducer {
    func register(_ request: RegisterRequest, answered answer: AuthResponse, state: inout UserManagerState) {}
    func login(_ request: LoginRequest, answered answer: AuthResponse, state: inout UserManagerState) {
        if let session = answer.session { state.sessions = [session] }
    }
    func logout(_ request: LogoutRequest, state: inout UserManagerState) {}
    func refreshToken(_ request: RefreshTokenRequest, answered answer: AuthResponse, state: inout UserManagerState) {}
    func getProfile(_ request: GetProfileRequest, answered answer: User, state: inout UserManagerState) {}
    func verifyTwoFactor(
        _ request: VerifyTwoFactorRequest, answered answer: AuthResponse, state: inout UserManagerState
    ) {}
}

func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }

func shown(_ value: Double) -> String { "\((value * 10).rounded() / 10) µs" }

/// The time from the answer to the reader, for `count` actions with `users` users in the state.
func measure(users: Int, count: Int) async throws -> [Double] {
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
    var results: [Double] = []
    for turn in 0..<count {
        let start = clock.now
        try await client.process(.verifyEmail(VerifyEmailRequest(verificationToken: "turn \(turn)")))
        if let end = await seen.next() { results.append(microseconds(end - start)) }
    }
    reader.cancel()
    return results.sorted()
}

for users in [1, 20, 200] {
    let results = try await measure(users: max(users, 8), count: 2_000)
    let (middle, late) = (results[results.count / 2], results[results.count * 99 / 100])
    print("users \(max(users, 8))  action to reader: median \(shown(middle)), 99 % \(shown(late))")
}
