// SPDX-License-Identifier: Apache-2.0

/// A credential of a program's own: how it is applied to a request, and how it is written down.
public protocol TokenModel: Sendable {
    /// Adds what proves the caller to `request`.
    ///
    /// It is called for each attempt, and again for each redirect within the origin, so a signature covers what is sent.
    func authorize(_ request: inout URLRequest)

    /// The token as bytes, from which `decode(from:)` makes the same token.
    func encode() throws -> Data

    /// The token that `encode()` wrote.
    static func decode(from data: Data) throws -> Self
}
