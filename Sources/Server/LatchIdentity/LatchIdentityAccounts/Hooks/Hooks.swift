// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage

/// The programs and the code that the server asks before it acts.
///
/// A point has at most one hook, and none by default.
package struct Hooks: Sendable {
    /// The maximum size of the claims that a hook adds to a token, in bytes as JSON.
    private static let maximumClaims = 4 << 10
    private let code: IdentityHooks
    /// The clients of the programs that are asked, by point.
    private let programs: [Hook.Point: HookClient]
    /// The clients of the programs that are told of events.
    package let listeners: [HookClient]
    private let attributes: AttributeRules
    private let failures: StoreFailures

    /// Creates the hooks of a configuration.
    ///
    /// - Parameter failures: Where failed calls are reported.
    /// - Throws: `IdentityError.invalidSetting`.
    package init(
        _ configuration: IdentityConfiguration, code: IdentityHooks, transport: any Handler, clock: WallClock,
        random: RandomSource, metrics: Metrics, failures: StoreFailures
    ) throws(IdentityError) {
        var (programs, listeners): ([Hook.Point: HookClient], [HookClient]) = ([:], [])
        for hook in configuration.hooks {
            let client = try HookClient(
                hook, configuration, transport: transport, clock: clock, random: random, metrics: metrics)
            // A code that was not sent is none that a user can enter.
            guard hook.point != .text || hook.fallback == .refuse else {
                throw .invalidSetting("hooks", "no if_down on text")
            }
            if hook.point == .events {
                listeners.append(client)
            } else if code.has(hook.point) || programs.updateValue(client, forKey: hook.point) != nil {
                throw .invalidSetting(
                    "hooks", "one hook on \(hook.point.rawValue), and none if the program has code for it")
            }
        }
        for name in configuration.hookSecrets.keys.sorted()
        where !configuration.hooks.contains(where: { $0.name == name }) {
            throw .invalidSetting("hook_secrets", "only secrets of hooks in 'hooks'; '\(name)' is not one of them")
        }
        attributes = AttributeRules(configuration)
        (self.code, self.programs, self.listeners, self.failures) = (code, programs, listeners, failures)
    }

    /// The clients of all programs, in the order of their names.
    package var all: [HookClient] { (Array(programs.values) + listeners).sorted { $0.hook.name < $1.hook.name } }

    /// Whether access tokens need the answer of a hook.
    package var changesTokens: Bool { has(.token) }

    /// Whether a program or code decides about sign-ups.
    package var decidesSignUps: Bool { has(.signUp) }

    /// Whether a program or code sends text messages.
    package var sendsTexts: Bool { has(.text) }

    /// Whether unknown passwords are checked elsewhere.
    package var checksPasswords: Bool { has(.password) }

    private func has(_ point: Hook.Point) -> Bool { code.has(point) || programs[point] != nil }

    // MARK: Points

    /// Asks whether a user may create an account, and returns it with the attributes that the hook adds.
    ///
    /// - Parameters:
    ///   - isVerified: Whether the user has proved the address.
    ///   - provider: The name of the identity provider; nil for another way.
    /// - Throws: `IdentityError.signUpDenied` with the text for the user, `.hookUnavailable`.
    package func admit(
        _ account: Account, by way: IdentityHooks.SignUpAttempt.Way, isVerified: Bool, at provider: String? = nil,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        guard has(.signUp) else { return account }
        let (cause, email) = (origin.mailCause, try account.requireAddress())
        let attempt = IdentityHooks.SignUpAttempt(
            way: way, email: email.text, isEmailVerified: isVerified, name: account.name,
            username: account.username?.text, provider: provider,
            attributes: account.attributes, address: cause.address, userAgent: cause.userAgent,
            language: cause.language)
        let decision = try await answer(.signUp, or: .allow()) {
            if let decide = code.signUp { return try await decide(attempt) }
            return try IdentityHooks.SignUpDecision(try await ask(.signUp, attempt.json))
        }
        switch decision {
        case .allow(let attributes):
            var account = account
            do throws(IdentityError) { try self.attributes.merge(attributes, into: &account) } catch {
                let refusal = refusal(of: .signUp, "its attribute '\(error.field ?? "attributes")' is refused")
                guard programs[.signUp]?.hook.fallback == .continue else { throw refusal }
            }
            return account
        case .deny(let text): throw .signUpDenied(text.sanitized(300) ?? "")
        }
    }

    /// Returns the claims to add to an access token.
    ///
    /// - Throws: `IdentityError.hookUnavailable`, also for claims that are reserved or too large.
    package func claims(for request: IdentityHooks.TokenRequest) async throws(IdentityError) -> JSONObject {
        guard has(.token) else { return [:] }
        return try await answer(.token, or: [:]) {
            let claims =
                if let add = code.token { JSONObject(sorting: try await add(request)) } else {
                    try (try await ask(.token, request.json)).object("claims")
                }
            if let name = claims.keys.first(where: AccountAttribute.reservedClaims.contains) {
                throw HookClient.Failure(description: "it sets the claim '\(name)', which is reserved")
            }
            guard JSONValue.object(claims).serialized().count <= Self.maximumClaims else {
                throw HookClient.Failure(description: "its claims exceed \(Self.maximumClaims) bytes")
            }
            return claims
        }
    }

    /// Offers an email to the hook, and returns whether it has sent it.
    ///
    /// - Throws: `IdentityError.hookUnavailable`.
    package func send(_ mail: IdentityHooks.HookMail) async throws(IdentityError) -> Bool {
        guard has(.mail) else { return false }
        return try await answer(.mail, or: false) {
            if let send = code.mail { return try await send(mail) }
            return try (try await ask(.mail, mail.json, id: "msg_\(mail.id)")).flag("sent") ?? false
        }
    }

    /// Sends a text message.
    ///
    /// - Throws: `IdentityError.hookUnavailable`, also if the program has not sent it.
    package func send(_ message: IdentityHooks.TextMessage) async throws(IdentityError) {
        try await answer(.text, or: ()) {
            if let send = code.text { return try await send(message) }
            _ = try await ask(.text, message.json)
        }
    }

    /// Checks a password that this server does not know.
    ///
    /// - Throws: `IdentityError.hookUnavailable`.
    package func check(
        _ question: IdentityHooks.PasswordQuestion
    ) async throws(IdentityError) -> IdentityHooks.PasswordAnswer {
        guard has(.password) else { return .invalid }
        return try await answer(.password, or: .invalid) {
            if let check = code.password { return try await check(question) }
            let answer = try await ask(.password, question.json)
            guard try answer.flag("valid") == true else { return .invalid }
            return .valid(user: try answer.object("user"))
        }
    }

    // MARK: Answers

    private func ask(
        _ point: Hook.Point, _ data: JSONObject, id: String? = nil
    ) async throws(HookClient.Failure) -> JSONObject {
        guard let program = programs[point] else { return [:] }
        return try await program.ask(point.rawValue, data, id: id)
    }

    /// Returns the answer of a hook, or what its setting says for a hook that has none.
    private func answer<Answer>(
        _ point: Hook.Point, or fallback: Answer, _ body: () async throws -> Answer
    ) async throws(IdentityError) -> Answer {
        do {
            return try await body()
        } catch {
            let failure = error as? HookClient.Failure
            let refusal = refusal(of: point, failure?.description ?? "its code has thrown an error")
            // A user who is refused must not get past the program by what it refuses.
            guard programs[point]?.hook.fallback == .continue, failure?.isRefusal != true else { throw refusal }
            return fallback
        }
    }

    /// Reports an answer that cannot be used, and returns the error for the client.
    ///
    /// - Parameter reason: A sentence without its full stop.
    func refusal(of point: Hook.Point, _ reason: String) -> IdentityError {
        let name = programs[point]?.hook.name ?? point.rawValue
        failures.note(.hookFailed(name, reason), in: "hook \(point.rawValue)")
        return .hookUnavailable
    }
}

extension IdentityHooks {
    /// Whether the program has code for a point.
    fileprivate func has(_ point: Hook.Point) -> Bool {
        switch point {
        case .signUp: signUp != nil
        case .token: token != nil
        case .mail: mail != nil
        case .text: text != nil
        case .password: password != nil
        // Code and programs are told alike.
        case .events: false
        }
    }
}

extension IdentityHooks.SignUpDecision {
    /// Reads an answer; one without content allows.
    fileprivate init(_ answer: JSONObject) throws(HookClient.Failure) {
        guard try answer.flag("allow") ?? true else {
            self = .deny(answer["message"]?.stringValue ?? "")
            return
        }
        self = .allow(
            attributes: Dictionary(try answer.object("attributes").map { ($0.key, $0.value) }) { first, _ in first })
    }
}

extension JSONObject {
    /// Returns a member that is true or false; nil for none.
    fileprivate func flag(_ name: String) throws(HookClient.Failure) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.boolValue else {
            throw HookClient.Failure(description: "its answer needs true or false in '\(name)'")
        }
        return flag
    }

    /// Returns a member that is an object; an empty one for none.
    fileprivate func object(_ name: String) throws(HookClient.Failure) -> JSONObject {
        guard let value = self[name] else { return [:] }
        guard let object = value.objectValue else {
            throw HookClient.Failure(description: "its answer needs an object in '\(name)'")
        }
        return object
    }
}
