// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Accessibility. Source: https://developer.apple.com/documentation/swiftui/view-accessibility.
private func stub<T>() -> T { fatalError() }

public struct AccessibilityTraits: SetAlgebra, Sendable {
    public static let isButton: Self = stub(), isHeader: Self = stub(), isSelected: Self = stub(), isLink: Self = stub(), isSearchField: Self = stub()
    public static let isImage: Self = stub(), isStaticText: Self = stub(), isSummaryElement: Self = stub(), isModal: Self = stub()
    public static let updatesFrequently: Self = stub(), startsMediaSession: Self = stub(), isToggle: Self = stub()
    public typealias Element = AccessibilityTraits
    public typealias ArrayLiteralElement = AccessibilityTraits
    public init() {}
    public func union(_ other: Self) -> Self { stub() }
    public func intersection(_ other: Self) -> Self { stub() }
    public func symmetricDifference(_ other: Self) -> Self { stub() }
    public mutating func formUnion(_ other: Self) {}
    public mutating func formIntersection(_ other: Self) {}
    public mutating func formSymmetricDifference(_ other: Self) {}
    public func contains(_ member: Self) -> Bool { stub() }
    public mutating func insert(_ newMember: Self) -> (inserted: Bool, memberAfterInsert: Self) { stub() }
    public mutating func remove(_ member: Self) -> Self? { stub() }
    public mutating func update(with newMember: Self) -> Self? { stub() }
    public static func == (a: Self, b: Self) -> Bool { stub() }
}
public enum AccessibilityHeadingLevel: UInt, Sendable { case unspecified, h1, h2, h3, h4, h5, h6 }
public struct AccessibilityChildBehavior: Hashable, Sendable { public static let ignore: Self = stub(), contain: Self = stub(), combine: Self = stub() }
public struct AccessibilityActionKind: Equatable, Sendable { public static let `default`: Self = stub(), escape: Self = stub(), magicTap: Self = stub() }
extension View {
    public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View { _Modified() }
    public func accessibilityLabel(_ label: Text) -> some View { _Modified() }
    @_disfavoredOverload public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { _Modified() }
    public func accessibilityValue(_ valueKey: LocalizedStringKey) -> some View { _Modified() }
    @_disfavoredOverload public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View { _Modified() }
    public func accessibilityHint(_ hintKey: LocalizedStringKey) -> some View { _Modified() }
    @_disfavoredOverload public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View { _Modified() }
    public func accessibilityIdentifier(_ identifier: String) -> some View { _Modified() }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { _Modified() }
    public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View { _Modified() }
    public func accessibilityHidden(_ hidden: Bool) -> some View { _Modified() }
    public func accessibilitySortPriority(_ sortPriority: Double) -> some View { _Modified() }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { _Modified() }
    public func accessibilityHeading(_ level: AccessibilityHeadingLevel) -> some View { _Modified() }
    public func accessibilityAction(_ actionKind: AccessibilityActionKind = .default, _ handler: @escaping () -> Void) -> some View { _Modified() }
    public func accessibilityAction(named nameKey: LocalizedStringKey, _ handler: @escaping () -> Void) -> some View { _Modified() }
    @_disfavoredOverload public func accessibilityAction<S: StringProtocol>(named name: S, _ handler: @escaping () -> Void) -> some View { _Modified() }
    public func accessibilityFocused(_ condition: AccessibilityFocusState<Bool>.Binding) -> some View { _Modified() }
    public func accessibilityFocused<V: Hashable>(_ binding: AccessibilityFocusState<V>.Binding, equals value: V) -> some View { _Modified() }
}
