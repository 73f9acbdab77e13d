// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// WatchKit: text content. Source: https://developer.apple.com/documentation/watchkit/wktextcontenttype.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

@available(iOS, unavailable) @available(tvOS, unavailable) @available(macOS, unavailable) @available(visionOS, unavailable)
public struct WKTextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let name: Self = stub(), emailAddress: Self = stub(), telephoneNumber: Self = stub()
    public static let givenName: Self = stub(), familyName: Self = stub(), nickname: Self = stub()
    public static let username: Self = stub(), password: Self = stub(), newPassword: Self = stub(), oneTimeCode: Self = stub()
}
