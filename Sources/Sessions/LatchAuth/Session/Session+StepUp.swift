// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP

extension Session {
    /// Lets the person authenticate as a server asks for (RFC 9470 §4), and gives the credential that comes of it.
    ///
    /// Requests that it makes through a client of the same session go out without a credential.
    public typealias StepUp = @Sendable (StepUpRequirement) async throws -> Value

    /// What a server has asked of the person and not got yet; nil nearly always.
    ///
    /// The session is signed in all the same, and its credential good for everything else. A renewal changes nothing;
    /// a sign-in or step-up whose credential does not say the contrary ends it, and so does a sign-out.
    public nonisolated var stepUp: StepUpRequirement? { stepUpBroadcast.current }

    /// What is asked of the person from now on: first what is asked at this moment, then each change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var stepUps: AsyncStream<StepUpRequirement?> { stepUpBroadcast.stream() }

    /// Makes `value`, with which the same person has authenticated again, the session's credential.
    ///
    /// Unlike after a sign-in, requests that are under way are repeated with it, and other processes go on.
    ///
    /// - Throws: `AuthError.missingToken` where nobody is signed in, `AuthError.otherPerson` where the credential says that
    ///   it is somebody else's, `AuthError.superseded` where somebody else signed in meanwhile, a `store…` code when it
    ///   cannot be stored; the session is then what it was.
    public func stepUp(to value: Value) async throws {
        _ = try await currentCredential()
        try await stepUp(to: value, since: generation)
    }

    /// The same as long as the person is the one of a generation.
    private func stepUp(to value: Value, since generation: Int) async throws {
        try await withStore {
            guard isSamePerson(generation), let current = state.credential else { throw AuthError.superseded }
            guard value.isOfSamePerson(as: current) != false else { throw AuthError.otherPerson }
            let value = value.succeeding(current)
            if records.areKept {
                let record = try await records.load()
                guard record?.credential != nil, record?.signIn == signInID else {
                    _ = try follow(record)
                    throw AuthError.superseded
                }
            }
            let record = newRecord(of: value, signIn: signInID)
            try await store(record)
            let (person, run, waiting) = (firstGeneration, stepUpRun, renewal)
            (stepUpRun, stepUpTask) = (nil, nil)
            // What was renewed is replaced as a whole; who waited for a successor gets this one.
            waiting?.finish(.success(value))
            beginGeneration()
            firstGeneration = person
            identify(by: record)
            adopt(value)
            endStepUp(with: value)
            run?.finish(.success(()))
        }
        await records.coordination?.announceChange()
    }

    /// A credential for the repetition of a request that was refused for the way in which the person authenticated.
    ///
    /// - Throws: `AuthError.stepUpRequired` where nothing can be done about it, and `AuthError.superseded` where somebody
    ///   else is signed in by now.
    func steppedUp(
        for requirement: StepUpRequirement, refusing refused: Lease<Value>, by satisfy: StepUp?
    ) async throws -> Lease<Value> {
        guard isSamePerson(refused.generation), let current = state.credential else { throw AuthError.superseded }
        // The person has done so since the request was sent: this is a late refusal.
        if refused.generation < generation { return Lease(credential: current, generation: generation) }
        stepUpBroadcast.send(requirement)
        guard let satisfy else { throw AuthError.stepUpRequired(requirement) }
        try await shareStepUp(requirement, by: satisfy)
        guard isSamePerson(refused.generation), let current = state.credential else { throw AuthError.superseded }
        return Lease(credential: current, generation: generation)
    }

    /// Waits for the step-up that is under way, or begins one: the person is asked once for all requests.
    private func shareStepUp(_ requirement: StepUpRequirement, by satisfy: @escaping StepUp) async throws {
        if let stepUpRun { return try await stepUpRun.value() }
        let shared = SharedResult<Void>()
        stepUpRun = shared
        let generation = generation
        stepUpTask = Task(executorPreference: executor) {
            await self.runStepUp(requirement, by: satisfy, shared, in: generation)
        }
        try await shared.value()
    }

    /// The body of the step-up's task; it finishes `shared` on every path, or callers would wait for ever.
    private func runStepUp(
        _ requirement: StepUpRequirement, by satisfy: StepUp, _ shared: SharedResult<Void>, in generation: Int
    ) async {
        var result = Result<Void, any Error>.success(())
        do {
            let value: Value
            do {
                let scope = RenewalScope.sessions + [ObjectIdentifier(self)]
                value = try await RenewalScope.$sessions.withValue(scope) { try await satisfy(requirement) }
            } catch {
                throw AuthError.stepUpRequired(requirement, cause: error)
            }
            try await stepUp(to: value, since: generation)
        } catch {
            result = .failure(error)
        }
        if stepUpRun === shared { (stepUpRun, stepUpTask) = (nil, nil) }
        shared.finish(result)
    }

    /// Asks nothing of the person any more, unless a new credential says of itself that it is not what was asked for.
    func endStepUp(with value: Value?) {
        guard let requirement = stepUpBroadcast.current else { return }
        if let value, value.satisfies(requirement, at: issuerNow) == false { return }
        stepUpBroadcast.send(nil)
    }

    /// Whether the person of a generation is still the one who is signed in: a step-up begins a generation too.
    func isSamePerson(_ generation: Int) -> Bool { (firstGeneration...self.generation).contains(generation) }
}

extension AuthError {
    /// A server asks the person to authenticate better, or once more; `requirement` says how.
    ///
    /// The session is still there, and good for everything else.
    public static let stepUpRequired = AuthError(
        code: "stepUpRequired", message: "The server asks for a stronger or fresher authentication.",
        hint: "Let the person sign in again with what the requirement asks for, and repeat the request.")

    /// The person who authenticated again is not the one who is signed in.
    public static let otherPerson = AuthError(
        code: "otherPerson", message: "The one who authenticated again is somebody else.",
        hint: "Sign in as the person that the session belongs to, or sign out first.")

    static func stepUpRequired(_ requirement: StepUpRequirement, cause: (any Error)? = nil) -> AuthError {
        AuthError(
            code: stepUpRequired.code, message: stepUpRequired.message, hint: stepUpRequired.hint, cause: cause,
            requirement: requirement)
    }
}
