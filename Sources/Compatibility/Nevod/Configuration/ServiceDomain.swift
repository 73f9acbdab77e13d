// SPDX-License-Identifier: Apache-2.0

/// A service that a program talks to, as a case of an enumeration of its own.
///
/// ```swift
/// enum MyDomain: ServiceDomain {
///     case api
///     var identifier: String { "api" }
/// }
/// ```
public protocol ServiceDomain: Hashable, Sendable {
    /// The name by which domains of one type are told apart.
    var identifier: String { get }
}

extension ServiceDomain {
    /// Two domains are equal when their identifiers are.
    public static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

/// The only domain of a provider that was made with `NetworkProvider.quick`.
public enum DefaultDomain: ServiceDomain {
    /// The one service.
    case `default`

    /// `default`.
    public var identifier: String { "default" }
}

/// A domain of any type, as a key: two types may use the same identifier.
struct DomainKey: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let identifier: String

    init<Domain: ServiceDomain>(_ domain: Domain) {
        type = ObjectIdentifier(Domain.self)
        identifier = domain.identifier
    }
}
