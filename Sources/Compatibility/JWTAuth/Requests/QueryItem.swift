// SPDX-License-Identifier: Apache-2.0

/// A pair of a query; both parts are encoded when the URL is made, whatever they hold.
public struct QueryItem: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value; nil is sent as an empty one.
    public var value: String?

    /// A pair.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}
