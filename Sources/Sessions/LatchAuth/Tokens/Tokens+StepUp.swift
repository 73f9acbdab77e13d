// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCore
internal import LatchJOSE

extension Tokens {
    /// Whether they say of themselves what is asked for, as far as they can be read: the access token where it is a JWT
    /// (RFC 9470 §6), otherwise the ID token (OpenID Connect Core §2).
    ///
    /// Nothing is verified: the server that asked is the judge, and this only spares it a question.
    public func satisfies(_ requirement: StepUpRequirement, at date: Date) -> Bool? {
        var answers: [Bool?] = []
        if !requirement.contextClasses.isEmpty {
            answers.append(claim { $0.string("acr") }.map { requirement.contextClasses.contains($0) })
        }
        if let age = requirement.maximumAge {
            let authenticated = claim { $0.date("auth_time") }
            answers.append(authenticated.map { date.timeIntervalSince($0) <= age.inSeconds })
        }
        if let scopes = requirement.scopes { answers.append(grantedScopes.map { $0.allow(all: scopes) }) }
        if answers.contains(false) { return false }
        return answers.isEmpty || answers.contains(nil) ? nil : true
    }

    /// Whether both speak of the same person; nil where one of them does not say.
    public func isOfSamePerson(as other: Tokens) -> Bool? {
        let (mine, others) = (claim(\.subject), other.claim(\.subject))
        guard let mine, let others else { return nil }
        return mine == others && claim(\.issuer) == other.claim(\.issuer)
    }

    /// A claim of the access token, or of the ID token where that one cannot be read or does not have it.
    private func claim<Value>(_ read: (Claims) -> Value?) -> Value? {
        for text in [access, idToken ?? ""] {
            do {
                if let value = read(try JWT(unverified: text).claims) { return value }
            } catch {
                // An access token may be anything; it is not for its holder to read (RFC 6749 §1.4).
            }
        }
        return nil
    }
}
