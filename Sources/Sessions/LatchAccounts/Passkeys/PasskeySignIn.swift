// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP

extension AuthClient {
    /// Signs a user in with a passkey, which also tells the server the account: the user types neither name nor code.
    ///
    /// - Parameters:
    ///   - provider: Signs the server's challenge.
    ///   - mediation: The presentation. A ``PasskeyMediation/conditional`` request waits without limit until the user
    ///     chooses a passkey. Before a challenge expires, the request continues with a new one.
    /// - Throws: `AccountError.passkeyCancelled` if the user cancels, `noPasskey`, `passkeyRefused` if the server no
    ///   longer knows the passkey, `passkeysUnavailable`, …; nothing is stored then.
    @discardableResult
    public func signIn(
        withPasskeyFrom provider: any PasskeyProvider, mediation: PasskeyMediation = .modal
    ) async throws -> Tokens {
        try await signIn(with: try await passkeyAssertion(from: provider, mediation: mediation))
    }

    /// Returns a passkey's signature of the server's challenge, which ``signIn(with:)`` or ``reauthenticate(with:)``
    /// sends.
    ///
    /// - Throws: The errors of ``signIn(withPasskeyFrom:mediation:)`` that occur before the server has seen the
    ///   passkey.
    public func passkeyAssertion(
        from provider: any PasskeyProvider, mediation: PasskeyMediation = .modal
    ) async throws -> PasskeyAssertion {
        while true {
            let options = try await passkeyRequestOptions()
            guard mediation == .conditional, let timeout = options.timeout else {
                return try await provider.get(options, mediation: mediation)
            }
            // The renewal leaves time for a user who has just started to choose.
            if let assertion = try await assertion(from: provider, options, within: timeout * 0.75) { return assertion }
        }
    }

    /// Signs a user in with the signature of a passkey.
    ///
    /// - Throws: `AccountError.passkeyRefused`, `refused`, …; nothing is stored then.
    @discardableResult
    public func signIn(with assertion: PasskeyAssertion) async throws -> Tokens {
        try await signIn(
            at: endpoints.passkeySignIn, ["credential": .object(assertion.json)], code: nil,
            unauthorized: .passkeyRefused)
    }

    /// Authenticates the signed-in user again with a passkey, for requests that need a recent authentication (RFC
    /// 9470).
    ///
    /// See ``reauthenticate(password:code:)``. It needs no code of a second factor, because the device has verified its
    /// user. The device offers only the passkeys of this account, even if it also has those of other accounts.
    ///
    /// - Parameter provider: Signs the server's challenge.
    /// - Throws: `AccountError.passkeyCancelled` if the user cancels, or `noPasskey`, also if the account has none.
    ///   `passkeyRefused` if the passkey belongs to another account, `passkeysUnavailable`, …; the user stays signed
    ///   in.
    public func reauthenticate(withPasskeyFrom provider: any PasskeyProvider) async throws {
        let own = try await passkeys().filter(\.isUsable)
        guard !own.isEmpty else { throw AccountError.noPasskey }
        var options = try await passkeyRequestOptions().json
        options["allowCredentials"] = .array(own.map { ["type": "public-key", "id": .string($0.id)] })
        let assertion = try await provider.get(PasskeyRequestOptions(json: options), mediation: .modal)
        try await reauthenticate(with: assertion)
    }

    /// Authenticates the signed-in user again with the signature of a passkey.
    ///
    /// - Throws: `AccountError.passkeyRefused` if the passkey belongs to another account, `refused`, …; the user stays
    ///   signed in.
    public func reauthenticate(with assertion: PasskeyAssertion) async throws {
        try await reauthenticate(["credential": .object(assertion.json)], code: nil, unauthorized: .passkeyRefused)
    }

    /// Requests a challenge.
    ///
    /// - Throws: `AccountError.refused`, with the status 404 for a server without passkeys; `HTTPError`.
    package func passkeyRequestOptions() async throws -> PasskeyRequestOptions {
        let response = try await send(endpoints.passkeySignInOptions, [:])
        guard let json = try response.members()["publicKey"]?.objectValue else { throw AccountError.invalidResponse }
        return try PasskeyRequestOptions(json: json)
    }

    /// The first event of a conditional request.
    private enum ConditionalEvent: Sendable {
        case ended(Result<PasskeyAssertion, any Error>)
        case expired
    }

    /// Waits for the user's choice until the challenge expires; returns nil then.
    private func assertion(
        from provider: any PasskeyProvider, _ options: PasskeyRequestOptions, within time: Duration
    ) async throws -> PasskeyAssertion? {
        let clock = tokenDecoder.clock
        let events = await withTaskGroup(of: ConditionalEvent.self) { group in
            group.addTask {
                do { return .ended(.success(try await provider.get(options, mediation: .conditional))) } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask {
                // The sleep is canceled when the user's choice ends the wait, or by the caller.
                do { try await clock.sleep(for: time) } catch { return .expired }
                return .expired
            }
            var events: [ConditionalEvent] = []
            for await event in group {
                group.cancelAll()
                events.append(event)
            }
            return events
        }
        if case .ended(let result) = events.first { return try result.get() }
        try Task.checkCancellation()
        // The user may have chosen at the last moment.
        if case .ended(.success(let assertion)) = events.last { return assertion }
        return nil
    }
}
