// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchCore
public import LatchHTTP

/// The cookies that prove a login, as a credential: each goes where its own domain, path and security let it.
///
/// In a `Session` the login is its renewal; see `Session.init(cookiesIn:…)`. A credential without cookies has expired
/// already, so that a session that holds it logs in before its first request.
public struct CookieCredential: SessionCredential {
    /// The cookies, with every attribute, in the order of their creation.
    public let cookies: [Cookie]
    /// When it stops proving anything: when the last of the cookies ends, or the first of those that were named.
    public let expiry: Date?

    /// The same cookies, ready to be asked.
    private let set: CookieSet
    /// Those without which it proves nothing; empty where that is not known.
    private let names: Set<String>
    private let policy: CookiePolicy
    private let clock: WallClock
    /// Which login it comes from: an answer to an earlier one must not touch the cookies of a later one.
    private let login: String

    /// A credential of cookies.
    ///
    /// - Parameters:
    ///   - names: The names of the cookies that prove the login, where they are known: without one of them the
    ///     credential has expired. Without names only the last cookie's end is an end.
    ///   - policy: How cookies are judged that come with answers.
    public init(
        _ cookies: [Cookie], named names: Set<String> = [], policy: CookiePolicy = CookiePolicy(),
        clock: WallClock = .system
    ) {
        let now = clock.now
        var set = CookieSet()
        for cookie in cookies { _ = set.insert(cookie, at: now, under: policy) }
        self.init(set, named: names, policy: policy, clock: clock, login: RandomSource.system.identifier())
    }

    /// A credential of cookies that were judged before.
    private init(_ set: CookieSet, named names: Set<String>, policy: CookiePolicy, clock: WallClock, login: String) {
        self.set = set
        self.names = names
        self.policy = policy
        self.clock = clock
        self.login = login
        cookies = set.cookies
        expiry = Self.expiry(of: cookies, named: names)
    }

    /// Adds the cookies that are for the request's target, each in place of one of its name.
    public func authorize(_ request: inout HTTPRequest) {
        request.add(set.cookies(for: request, at: clock.now, under: policy), replacing: true)
    }

    /// Whether both carry the same cookies.
    public func authorizesLike(_ other: CookieCredential) -> Bool { pairs == other.pairs }

    /// Whether both carry the same cookies: a login does not depend on what it replaces.
    public func renewsLike(_ other: CookieCredential) -> Bool { pairs == other.pairs }

    /// The credential with the cookies that an answer set.
    ///
    /// What a refusal sets is not taken: it usually deletes, and by the time it arrives the session may have logged in
    /// again. Nor is an answer worth a new record that only moves the expiry, by less than a minute.
    public func rotated(
        by response: HTTPResponse, to request: HTTPRequest, sentWith sent: CookieCredential
    ) -> CookieCredential? {
        guard response.status != .unauthorized, login == sent.login else { return nil }
        let asked = response.fields.values(of: .setCookie).compactMap(SetCookie.init)
        guard !asked.isEmpty else { return nil }
        let now = clock.now
        var set = set
        for asked in asked { _ = set.receive(asked, to: request, at: now, under: policy) }
        let rotated = CookieCredential(set, named: names, policy: policy, clock: clock, login: login)
        let isNews = !rotated.cookies.elementsEqual(cookies) { $0.isNearly($1) }
        return isNews ? rotated : nil
    }

    /// Two credentials are equal when their cookies are.
    public static func == (one: CookieCredential, other: CookieCredential) -> Bool {
        one.cookies == other.cookies && one.names == other.names
    }

    /// What distinguishes cookies for a server.
    private var pairs: Set<[String]> { Set(cookies.map { [$0.name, $0.value, $0.domain, $0.path] }) }

    private static func expiry(of cookies: [Cookie], named names: Set<String>) -> Date? {
        guard names.isEmpty else {
            let proofs = cookies.filter { names.contains($0.name) }
            return names.isSubset(of: proofs.map(\.name)) ? proofs.compactMap(\.expiry).min() : .distantPast
        }
        guard !cookies.isEmpty else { return .distantPast }
        return cookies.allSatisfy(\.isPersistent) ? cookies.compactMap(\.expiry).max() : nil
    }
}

extension Cookie {
    /// Whether nothing but times differ, and the expiry by less than a minute.
    fileprivate func isNearly(_ other: Cookie) -> Bool {
        let ends = (expiry?.timeIntervalSinceReferenceDate, other.expiry?.timeIntervalSinceReferenceDate)
        guard isSame(as: other), value == other.value, isSecure == other.isSecure, isHTTPOnly == other.isHTTPOnly,
            sameSite == other.sameSite
        else { return false }
        guard let one = ends.0, let two = ends.1 else { return ends.0 == ends.1 }
        return abs(one - two) < 60
    }
}

extension CookieCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names and where they go, without the values.
    public var description: String { "CookieCredential(\(cookies.map(\.description).joined(separator: ", ")))" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the values, so that `dump` and reflection show none.
    public var customMirror: Mirror { Mirror(self, children: ["cookies": description], displayStyle: .struct) }
}
