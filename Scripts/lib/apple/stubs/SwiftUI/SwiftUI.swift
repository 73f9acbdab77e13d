// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// SwiftUI: views, their builder, and the property wrappers of their data. As Apple's types do, a view conforms in its
// declaration or in an extension: only the first puts its members on the main actor. Apple's passes Foundation, UIKit
// and AppKit on, and neither Combine nor WatchKit.
// Source: https://developer.apple.com/documentation/swiftui.
@_exported public import AppKit
@_exported public import AppleFoundation
public import Combine
@_exported public import UIKit
public import Observation

private func stub<T>() -> T { fatalError() }

// Views
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
extension Never: View { public var body: Never { return stub() } }
public struct EmptyView: View, Sendable { nonisolated public init() {} ; public var body: Never { return stub() } }
public struct AnyView: View {
    nonisolated public init<V: View>(_ view: V) {}
    nonisolated public init<V: View>(erasing view: V) {}
    public var body: Never { return stub() }
}
public struct TupleView<T>: View { nonisolated public init(_ value: T) {} ; public var body: Never { return stub() } }
public struct _ConditionalContent<TrueContent, FalseContent> {}
extension _ConditionalContent: View where TrueContent: View, FalseContent: View { public var body: Never { return stub() } }
public struct ModifiedContent<Content, Modifier> { nonisolated public init(content: Content, modifier: Modifier) {} }
extension ModifiedContent: View where Content: View, Modifier: ViewModifier { public var body: Never { return stub() } }
// The result of every modifier that the stubs declare: each is `some View` to its users.
public struct _Modified: View, Sendable { nonisolated init() {} ; public var body: Never { return stub() } }
extension Optional: View where Wrapped: View { public var body: Never { return stub() } }
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}
public struct _ViewModifier_Content<Modifier: ViewModifier>: View { public var body: Never { return stub() } }
extension View {
    nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { stub() }
}
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { stub() }
    public static func buildBlock() -> EmptyView { stub() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { stub() }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { stub() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { stub() }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { stub() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { stub() }
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { stub() }
}

// Data
public protocol DynamicProperty {}
@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) {}
    public init(initialValue value: Value) {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
}
extension State where Value: ExpressibleByNilLiteral { public init() {} }
extension State: Sendable where Value: Sendable {}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value>: DynamicProperty {
    @preconcurrency public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {}
    public init(projectedValue: Binding<Value>) {}
    public init<V>(_ base: Binding<V>) where Value == V? {}
    public init?(_ base: Binding<Value?>) {}
    public static func constant(_ value: Value) -> Binding<Value> { stub() }
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { stub() }
    public func animation(_ animation: Animation? = .default) -> Binding<Value> { stub() }
}
extension Binding: @unchecked Sendable where Value: Sendable {}
extension Binding: Identifiable where Value: Identifiable { public var id: Value.ID { stub() } }
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public init(wrappedValue: Value) where Value: AnyObject, Value: Observable {}
    public init(_ wrappedValue: Value) where Value: AnyObject, Value: Observable {}
    public var wrappedValue: Value { get { stub() } set {} }
    public var projectedValue: Bindable<Value> { stub() }
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> where Value: AnyObject { stub() }
}
@MainActor @preconcurrency @propertyWrapper public struct ObservedObject<ObjectType: ObservableObject>: @preconcurrency DynamicProperty {
    @MainActor @preconcurrency @dynamicMemberLookup public struct Wrapper {
        public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>) -> Binding<Subject> { stub() }
    }
    nonisolated public init(wrappedValue: ObjectType) {}
    public var wrappedValue: ObjectType { get { stub() } set {} }
    public var projectedValue: Wrapper { stub() }
}
@MainActor @preconcurrency @propertyWrapper public struct EnvironmentObject<ObjectType: ObservableObject>: @preconcurrency DynamicProperty {
    @MainActor @preconcurrency @dynamicMemberLookup public struct Wrapper {
        public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>) -> Binding<Subject> { stub() }
    }
    nonisolated public init() {}
    public var wrappedValue: ObjectType { stub() }
    public var projectedValue: Wrapper { stub() }
}
@MainActor @preconcurrency @propertyWrapper public struct StateObject<ObjectType: ObservableObject>: @preconcurrency DynamicProperty {
    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
    public var wrappedValue: ObjectType { stub() }
    public var projectedValue: ObservedObject<ObjectType>.Wrapper { stub() }
}
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
    @propertyWrapper public struct Binding {
        public init(_stub: Void) {}
        public var wrappedValue: Value { get { stub() } nonmutating set {} }
        public var projectedValue: FocusState<Value>.Binding { stub() }
    }
    public init() where Value == Bool {}
    public init<T: Hashable>() where Value == T? {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: FocusState<Value>.Binding { stub() }
}
@propertyWrapper public struct AccessibilityFocusState<Value: Hashable>: DynamicProperty {
    @propertyWrapper public struct Binding {
        public init(_stub: Void) {}
        public var wrappedValue: Value { get { stub() } nonmutating set {} }
        public var projectedValue: AccessibilityFocusState<Value>.Binding { stub() }
    }
    public init() where Value == Bool {}
    public init<T: Hashable>() where Value == T? {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: AccessibilityFocusState<Value>.Binding { stub() }
}
@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
    public init(_stub: Void) {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
}
extension AppStorage {
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Bool {}
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Int {}
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == String {}
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Data {}
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value: RawRepresentable, Value.RawValue == String {}
    public init(_ key: String, store: UserDefaults? = nil) where Value == String? {}
    public init(_ key: String, store: UserDefaults? = nil) where Value == Data? {}
}
@propertyWrapper public struct SceneStorage<Value>: DynamicProperty {
    public init(_stub: Void) {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
}
extension SceneStorage {
    public init(wrappedValue: Value, _ key: String) where Value == String {}
    public init(wrappedValue: Value, _ key: String) where Value == Data {}
    public init(_ key: String) where Value == String? {}
    public init(_ key: String) where Value == Data? {}
}
@propertyWrapper public struct Namespace: DynamicProperty {
    public struct ID: Hashable, Sendable {}
    public init() {}
    public var wrappedValue: Namespace.ID { stub() }
}
@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) {}
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value { stub() }
}

// The environment
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}
public struct EnvironmentValues: CustomStringConvertible {
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value { get { stub() } set {} }
    public subscript<T: AnyObject & Observable>(objectType: T.Type) -> T? { get { stub() } set {} }
    public var description: String { stub() }
    public var scenePhase: ScenePhase { get { stub() } set {} }
    public var appearsActive: Bool { get { stub() } set {} }
    public var colorScheme: ColorScheme { get { stub() } set {} }
    public var dynamicTypeSize: DynamicTypeSize { get { stub() } set {} }
    public var isEnabled: Bool { get { stub() } set {} }
    public var locale: Locale { get { stub() } set {} }
    public var layoutDirection: LayoutDirection { get { stub() } set {} }
    public var font: Font? { get { stub() } set {} }
    public var controlSize: ControlSize { get { stub() } set {} }
    public var redactionReasons: RedactionReasons { get { stub() } set {} }
    public var isPresented: Bool { stub() }
    public var dismiss: DismissAction { stub() }
    public var openURL: OpenURLAction { get { stub() } set {} }
    public var refresh: RefreshAction? { stub() }
    public var accessibilityReduceMotion: Bool { stub() }
    public var accessibilityReduceTransparency: Bool { stub() }
    public var accessibilityDifferentiateWithoutColor: Bool { stub() }
    public var accessibilityVoiceOverEnabled: Bool { stub() }
    @available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
    public var editMode: Binding<EditMode>? { get { stub() } set {} }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public var openWindow: OpenWindowAction { stub() }
}
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { stub() }
}
extension Environment {
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {}
    public init<T: AnyObject & Observable>(_ objectType: T.Type) where Value == T? {}
}
extension Environment: Sendable where Value: Sendable {}
extension View {
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View { _Modified() }
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some View { _Modified() }
    public func transformEnvironment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void) -> some View { _Modified() }
    public func environmentObject<T: ObservableObject>(_ object: T) -> some View { _Modified() }
}
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
public enum ColorScheme: CaseIterable, Sendable { case light, dark }
public enum LayoutDirection: Hashable, CaseIterable, Sendable { case leftToRight, rightToLeft }
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge, accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
    public var isAccessibilitySize: Bool { stub() }
}
@available(macOS, unavailable) @available(watchOS, unavailable)
public enum EditMode: Sendable { case inactive, transient, active ; public var isEditing: Bool { stub() } }
@MainActor @preconcurrency public struct DismissAction { public func callAsFunction() {} }
@MainActor @preconcurrency public struct OpenURLAction {
    public struct Result: Sendable {
        public static let handled: Result = stub()
        public static let discarded: Result = stub()
        public static let systemAction: Result = stub()
        public static func systemAction(_ url: URL) -> Result { stub() }
    }
    public init(handler: @escaping (URL) -> OpenURLAction.Result) {}
    public func callAsFunction(_ url: URL) {}
    public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {}
}
public struct RefreshAction: Sendable { public func callAsFunction() async {} }
@available(tvOS, unavailable) @available(watchOS, unavailable)
@MainActor @preconcurrency public struct OpenWindowAction { public func callAsFunction(id: String) {} }

// Programs
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App { @MainActor @preconcurrency public static func main() {} }
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}
@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { stub() }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { stub() }
    public static func buildBlock<A: Scene, B: Scene>(_ first: A, _ second: B) -> some Scene { WindowGroup<EmptyView>(content: EmptyView.init) }
}
public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    nonisolated public init(id: String, @ViewBuilder content: () -> Content) {}
    public var body: Never { return stub() }
}
@available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable) @available(visionOS, unavailable)
public struct Settings<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { return stub() }
}
extension Scene {
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void) -> some Scene { WindowGroup<EmptyView>(content: EmptyView.init) }
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some Scene { WindowGroup<EmptyView>(content: EmptyView.init) }
    @available(iOS, unavailable) @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func defaultSize(width: CGFloat, height: CGFloat) -> some Scene { WindowGroup<EmptyView>(content: EmptyView.init) }
}

// Previews
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
extension View {
    public func previewDisplayName(_ value: String?) -> some View { _Modified() }
}
