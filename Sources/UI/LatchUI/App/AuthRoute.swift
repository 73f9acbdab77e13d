// SPDX-License-Identifier: Apache-2.0

/// The route to a screen of an ``AuthModel``, which an app may store to show the screen again after a restart.
///
/// Each screen declares its route in its own file. The encoded form has no secret: a screen that waits for an email is
/// encoded as it waits.
public struct AuthRoute: Hashable, Sendable {
    let kind: Kind
    /// The address with which the screen begins or waits, empty if it is not known; nil for a screen without one.
    public let email: String?
    /// The name of a screen of the app in the model's configuration; nil for a screen of LatchUI.
    public let customName: String?
    private let waiting: WaitingScreen?

    /// Creates the route to a screen of LatchUI that begins with nothing, or with an address.
    init(_ kind: Kind, email: String? = nil) { self.init(kind, email: email, customName: nil, waiting: nil) }

    /// Creates the route to a screen as it waits for an email.
    init(_ screen: some MailScreen) {
        self.init(
            type(of: screen).kind, email: screen.email.plausibleEmail, customName: nil,
            waiting: WaitingScreen(screen: screen))
    }

    private init(_ kind: Kind, email: String?, customName: String?, waiting: WaitingScreen?) {
        (self.kind, self.email, self.customName, self.waiting) = (kind, email, customName, waiting)
    }

    /// Returns the route to a screen of the app.
    ///
    /// - Parameters:
    ///   - name: The name of the screen in the model's configuration.
    ///   - email: The address of the registration before it, while the user is signed out; nil for a signed-in user.
    public static func custom(_ name: String, email: String? = nil) -> AuthRoute {
        AuthRoute(.custom, email: email, customName: name, waiting: nil)
    }

    /// Whether the screen needs a signed-in user.
    public var needsUser: Bool { kind.screen?.needsUser ?? (email == nil) }

    /// The screen that waits for an email; nil for any other.
    var mailScreen: (any MailScreen)? { waiting?.screen }

    /// Whether another route leads to the same screen; at most one of these routes is open.
    func isSameScreen(as other: AuthRoute) -> Bool { kind == other.kind && customName == other.customName }
}

private struct WaitingScreen: Hashable {
    let screen: any MailScreen

    static func == (one: WaitingScreen, other: WaitingScreen) -> Bool { one.screen.hashable == other.screen.hashable }

    func hash(into hasher: inout Hasher) { hasher.combine(screen.hashable) }
}

extension MailScreen {
    fileprivate var hashable: AnyHashable { self }

    fileprivate static func decode(_ values: KeyedDecodingContainer<AuthRoute.Key>) throws -> AuthRoute {
        AuthRoute(try values.decode(Self.self, forKey: .value))
    }

    fileprivate func encode(into values: inout KeyedEncodingContainer<AuthRoute.Key>) throws {
        try values.encode(self, forKey: .value)
    }
}

/// The form of an enum with a case for each screen, as Swift encodes it, such as `{"signIn":{"email":"ada@example.com"}}`.
extension AuthRoute: Codable {
    fileprivate enum Key: String, CodingKey { case value = "_0", email }

    /// Decodes a route of a stored path.
    ///
    /// - Throws: `DecodingError` for a screen that this version does not have.
    public init(from decoder: any Decoder) throws {
        let kinds = try decoder.container(keyedBy: Kind.self)
        guard let kind = kinds.allKeys.first, kinds.allKeys.count == 1 else {
            let problem = "The route does not name one screen of this version."
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
        }
        let values = try kinds.nestedContainer(keyedBy: Key.self, forKey: kind)
        if let screen = kind.screen as? any MailScreen.Type {
            self = try screen.decode(values)
        } else {
            self.init(
                kind, email: try values.decodeIfPresent(String.self, forKey: .email),
                customName: kind == .custom ? try values.decode(String.self, forKey: .value) : nil, waiting: nil)
        }
    }

    /// Encodes the name of the screen, and the address or the state with which it begins.
    public func encode(to encoder: any Encoder) throws {
        var kinds = encoder.container(keyedBy: Kind.self)
        var values = kinds.nestedContainer(keyedBy: Key.self, forKey: kind)
        if let mailScreen { return try mailScreen.encode(into: &values) }
        try values.encodeIfPresent(customName, forKey: .value)
        try values.encodeIfPresent(email, forKey: .email)
    }
}

extension AuthRoute: CustomStringConvertible {
    /// The name of the screen without an address, such as `devices` or `custom(plan)`.
    public var description: String { customName.map { "custom(\($0))" } ?? kind.rawValue }
}
