// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import PortableFoundation

/// The stronger or fresher authentication that a server requires before it serves a request (RFC 9470 §3).
///
/// The credential itself is good, so a refresh would not help: an authorization request with these parameters does.
public struct StepUpRequirement: Sendable, Hashable, Codable {
    /// The authentication context classes of which one suffices, the preferred one first (`acr_values`).
    public var contextClasses: [String]
    /// The greatest time since the user's authentication (`max_age`); nil if any is accepted.
    public var maximumAge: Duration?
    /// The scopes that the new tokens need; nil if the server does not state them.
    public var scopes: Scopes?

    /// Creates a requirement.
    public init(contextClasses: [String] = [], maximumAge: Duration? = nil, scopes: Scopes? = nil) {
        self.contextClasses = contextClasses
        self.maximumAge = maximumAge
        self.scopes = scopes
    }

    /// Returns nil when the challenge requires no step-up.
    package init?(_ challenge: Challenge) {
        guard challenge["error"] == "insufficient_user_authentication" else { return nil }
        contextClasses = (challenge["acr_values"] ?? "").unicodeScalars.split(separator: " ").map { String($0) }
        maximumAge = challenge["max_age"].flatMap(Self.seconds)
        scopes = challenge["scope"].map(Scopes.init(parsing:))
    }

    /// Parses a whole number of seconds that is not negative (RFC 9470 §3); returns nil for anything else.
    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text).map { .seconds($0) }
    }
}

extension Session {
    /// A closure that lets the user authenticate as a server requires (RFC 9470 §4), and returns the new credential.
    ///
    /// Requests that it makes through a client of the same session go out without a credential.
    public typealias StepUp = @Sendable (StepUpRequirement) async throws -> Value

    /// The step-up that a server has required and the user has not completed; nil nearly always.
    ///
    /// The session stays signed in, and its credential is valid for all other requests. A refresh changes nothing. A
    /// sign-in or step-up ends the requirement unless its credential shows that it is not met, and so does a sign-out.
    public nonisolated var stepUp: StepUpRequirement? { stepUpBroadcast.current }

    /// The pending step-up and each later change once, in order.
    ///
    /// The stream ends with the session, or when its consumer stops.
    public nonisolated var stepUps: AsyncStream<StepUpRequirement?> { stepUpBroadcast.stream() }

    /// Makes `value`, with which the same user has authenticated again, the session's credential.
    ///
    /// Unlike after a sign-in, running requests are repeated with it, and other processes continue.
    ///
    /// - Throws: `AuthError.missingToken` if no user is signed in, `AuthError.differentUser` if the credential says
    ///   that it belongs to another user, `AuthError.superseded` if another user signed in meanwhile, a `store…` code
    ///   when it cannot be stored; the session is then unchanged.
    public func stepUp(to value: Value) async throws {
        _ = try await currentCredential()
        try await stepUp(to: value, since: generation)
    }

    /// Ends the pending step-up with the same credential, for a server that records the user's authentication by itself.
    package func completeStepUp() { stepUpBroadcast.send(nil) }

    /// Steps up as long as the user of `generation` is signed in.
    private func stepUp(to value: Value, since generation: Int) async throws {
        try await withStore {
            guard isSameUser(generation), let current = state.credential else { throw AuthError.superseded }
            guard value.hasSameUser(as: current) != false else { throw AuthError.differentUser }
            let value = value.succeeding(current)
            if records.keepsRecords {
                let record = try await records.load()
                guard record?.credential != nil, record?.sessionID == sessionID else {
                    _ = try follow(record)
                    throw AuthError.superseded
                }
            }
            let record = newRecord(of: value, sessionID: sessionID)
            try await store(record)
            let (signIn, shared, refresh) = (signInGeneration, stepUpResult, refreshResult)
            (stepUpResult, stepUpTask) = (nil, nil)
            // The refreshed credential is replaced as a whole; the waiters of the refresh get the new one.
            refresh?.finish(.success(value))
            beginGeneration()
            signInGeneration = signIn
            identify(by: record)
            adopt(value)
            endStepUp(with: value)
            shared?.finish(.success(()))
        }
        await records.coordination?.announceChange()
    }

    /// Returns a credential to repeat a request that was refused because of the user's authentication.
    ///
    /// - Throws: `AuthError.stepUpRequired` if it cannot be obtained, and `AuthError.superseded` if another user is
    ///   signed in by now.
    func steppedUp(
        for requirement: StepUpRequirement, refusing refused: CredentialSnapshot<Value>, by satisfy: StepUp?
    ) async throws -> CredentialSnapshot<Value> {
        guard isSameUser(refused.generation), let current = state.credential else { throw AuthError.superseded }
        // The user has stepped up since the request was sent: this is a late refusal.
        if refused.generation < generation { return CredentialSnapshot(credential: current, generation: generation) }
        stepUpBroadcast.send(requirement)
        guard let satisfy else { throw AuthError.stepUpRequired(requirement) }
        try await shareStepUp(requirement, by: satisfy)
        guard isSameUser(refused.generation), let current = state.credential else { throw AuthError.superseded }
        return CredentialSnapshot(credential: current, generation: generation)
    }

    /// Waits for the running step-up, or starts one: the user authenticates once for all requests.
    private func shareStepUp(_ requirement: StepUpRequirement, by satisfy: @escaping StepUp) async throws {
        if let stepUpResult { return try await stepUpResult.value() }
        let shared = SharedResult<Void>()
        stepUpResult = shared
        let generation = generation
        stepUpTask = Task(executorPreference: executor) {
            await self.runStepUp(requirement, by: satisfy, shared, in: generation)
        }
        try await shared.value()
    }

    /// Runs the step-up; it finishes `shared` on every path, since callers would otherwise wait indefinitely.
    private func runStepUp(
        _ requirement: StepUpRequirement, by satisfy: StepUp, _ shared: SharedResult<Void>, in generation: Int
    ) async {
        var result = Result<Void, any Error>.success(())
        do {
            let value: Value
            do {
                value = try await ActiveRefreshes.of(self) { try await satisfy(requirement) }
            } catch {
                throw AuthError.stepUpRequired(requirement, cause: error)
            }
            try await stepUp(to: value, since: generation)
        } catch {
            result = .failure(error)
        }
        if stepUpResult === shared { (stepUpResult, stepUpTask) = (nil, nil) }
        shared.finish(result)
    }

    /// Ends the pending requirement, unless the new credential shows that it does not meet it.
    func endStepUp(with value: Value?) {
        guard let requirement = stepUpBroadcast.current else { return }
        if let value, value.satisfies(requirement, at: issuerNow) == false { return }
        stepUpBroadcast.send(nil)
    }
}

extension HTTPResponse {
    /// The reason for which a server refuses the credential of a request.
    enum CredentialRefusal {
        /// The credential is no longer accepted: a refresh may help.
        case credential
        /// The user has to authenticate better or once more (RFC 9470).
        case authentication(StepUpRequirement)
    }

    /// The reason for which the request was refused; nil if the response does not refuse its credential.
    ///
    /// A refusal of the proof of its key (RFC 9449) is not about the credential, and a successor would lack a missing
    /// scope (RFC 6750 §3.1) too. Without an explicit reason the credential counts as invalid: most servers give none.
    var credentialRefusal: CredentialRefusal? {
        guard status == .unauthorized, dpopError == nil else { return nil }
        let challenges = challenges()
        if let requirement = challenges.lazy.compactMap(StepUpRequirement.init).first {
            return .authentication(requirement)
        }
        return challenges.contains { $0["error"] == "insufficient_scope" } ? nil : .credential
    }
}
