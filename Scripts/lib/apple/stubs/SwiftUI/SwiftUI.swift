// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// SwiftUI, as far as the project names it: it shows Combine's protocol, but the members of a protocol are visible to the
// files only that import Combine themselves. Source: https://developer.apple.com/documentation/swiftui.
@_exported public import protocol Combine.ObservableObject
@_exported public import struct Combine.Published
public import Observation

private func stub() -> Never { fatalError() }

// Views
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
extension Never: View { public var body: Never { stub() } }
public struct EmptyView: View { public init() {} ; public var body: Never { stub() } }
public struct TupleView<T>: View { public var body: Never { stub() } }
public struct _ConditionalContent<A, B>: View { public var body: Never { stub() } }
public struct ModifiedContent: View { public var body: Never { stub() } }
extension Optional: View where Wrapped: View { public var body: Never { stub() } }
@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { stub() }
    public static func buildBlock<V: View>(_ view: V) -> V { stub() }
    public static func buildBlock<each V: View>(_ view: repeat each V) -> TupleView<(repeat each V)> { stub() }
    public static func buildExpression<V: View>(_ view: V) -> V { stub() }
    public static func buildIf<V: View>(_ view: V?) -> V? { stub() }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { stub() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { stub() }
}

// Data
@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
}
extension State: Sendable where Value: Sendable {}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {}
    public static func constant(_ value: Value) -> Binding<Value> { stub() }
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { stub() }
}
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public init(wrappedValue: Value) where Value: AnyObject, Value: Observable {}
    public init(_ wrappedValue: Value) where Value: AnyObject, Value: Observable {}
    public var wrappedValue: Value { get { stub() } set {} }
    public var projectedValue: Bindable<Value> { stub() }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> where Value: AnyObject { stub() }
}
@MainActor @propertyWrapper public struct EnvironmentObject<ObjectType: ObservableObject> {
    @dynamicMemberLookup public struct Wrapper {
        public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>) -> Binding<Subject> { stub() }
    }
    nonisolated public init() {}
    public var wrappedValue: ObjectType { stub() }
    public var projectedValue: Wrapper { stub() }
}
@MainActor @propertyWrapper public struct StateObject<ObjectType: ObservableObject> {
    nonisolated public init(wrappedValue: @autoclosure @escaping () -> ObjectType) {}
    public var wrappedValue: ObjectType { stub() }
    public var projectedValue: EnvironmentObject<ObjectType>.Wrapper { stub() }
}

// Containers
public struct VStack<Content: View>: View { public init(alignment: HorizontalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
public struct HStack<Content: View>: View { public init(alignment: VerticalAlignment = .center, spacing: Double? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
public struct Group<Content: View>: View { public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
public struct ScrollView<Content: View>: View { public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
@available(watchOS 7.0, *)
public struct NavigationView<Content: View>: View { public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
public struct NavigationStack<Content: View>: View { public init(@ViewBuilder root: () -> Content) {} ; public var body: Never { stub() } }
public struct Form<Content: View>: View { public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { stub() } }
public struct Section<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public init(_ title: String, @ViewBuilder content: () -> Content) {}
    public var body: Never { stub() }
}
public struct ForEach<Data: RandomAccessCollection, Content: View>: View {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) where Data.Element: Identifiable {}
    public var body: Never { stub() }
}
public struct Spacer: View { public init() {} ; public var body: Never { stub() } }
public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, bottom }
public struct Alignment: Sendable { public static var center: Alignment { stub() } ; public static var leading: Alignment { stub() } }

// Controls
public struct Text: View {
    public init(_ text: String) {}
    public func font(_ font: Font?) -> Text { stub() }
    public func fontWeight(_ weight: Font.Weight?) -> Text { stub() }
    public func foregroundColor(_ color: Color?) -> Text { stub() }
    public var body: Never { stub() }
}
public struct Image: View {
    public init(systemName: String) {}
    public func resizable() -> Image { stub() }
    public var body: Never { stub() }
}
public struct Button<Label: View>: View {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
    public var body: Never { stub() }
}
extension Button where Label == Text { public init(_ title: String, action: @escaping @MainActor () -> Void) {} }
public struct TextField: View { public init(_ title: String, text: Binding<String>) {} ; public var body: Never { stub() } }
public struct SecureField: View { public init(_ title: String, text: Binding<String>) {} ; public var body: Never { stub() } }
public struct Toggle<Label: View>: View {
    public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {}
    public var body: Never { stub() }
}
extension Toggle where Label == Text { public init(_ title: String, isOn: Binding<Bool>) {} }
public struct ProgressView: View { public init() {} ; public var body: Never { stub() } }
public struct Circle: Shape { public init() {} ; public var body: Never { stub() } }
public protocol Shape: View {}

// Styles
public struct Color: View, Sendable {
    public static var blue: Color { stub() }
    public static var red: Color { stub() }
    public static var gray: Color { stub() }
    public static var white: Color { stub() }
    public static var secondary: Color { stub() }
    public var body: Never { stub() }
}
public struct Font: Sendable {
    public struct Weight: Sendable { public static var bold: Weight { stub() } ; public static var semibold: Weight { stub() } }
    public static var largeTitle: Font { stub() }
    public static var title: Font { stub() }
    public static var title2: Font { stub() }
    public static var headline: Font { stub() }
    public static var subheadline: Font { stub() }
    public static var footnote: Font { stub() }
    public static var caption: Font { stub() }
    public static func system(size: Double) -> Font { stub() }
}
public enum Edge: Sendable {
    public struct Set: OptionSet, Sendable {
        public var rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static var all: Set { stub() }
        public static var top: Set { stub() }
        public static var horizontal: Set { stub() }
        public static var vertical: Set { stub() }
    }
}
public enum ContentMode: Sendable { case fit, fill }
public protocol TextFieldStyle {}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct RoundedBorderTextFieldStyle: TextFieldStyle { public init() {} }
public protocol ProgressViewStyle {}
public struct CircularProgressViewStyle: ProgressViewStyle { public init() {} ; public init(tint: Color) {} }
public protocol PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle { public init() {} }
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle { public init() {} }
public struct PlainButtonStyle: PrimitiveButtonStyle { public init() {} }
extension PrimitiveButtonStyle where Self == BorderedButtonStyle { public static var bordered: Self { stub() } }
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle { public static var borderedProminent: Self { stub() } }
extension PrimitiveButtonStyle where Self == PlainButtonStyle { public static var plain: Self { stub() } }
