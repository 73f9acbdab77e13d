// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The modifiers of layout, appearance, events and presentation. Source: https://developer.apple.com/documentation/swiftui/view.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

// Layout and appearance
extension View {
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { _Modified() }
    public func padding(_ length: CGFloat) -> some View { _Modified() }
    public func padding(_ insets: EdgeInsets) -> some View { _Modified() }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { _Modified() }
    public func frame(minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil, idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center) -> some View { _Modified() }
    public func fixedSize() -> some View { _Modified() }
    public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { _Modified() }
    public func layoutPriority(_ value: Double) -> some View { _Modified() }
    public func zIndex(_ value: Double) -> some View { _Modified() }
    public func offset(x: CGFloat = 0, y: CGFloat = 0) -> some View { _Modified() }
    public func ignoresSafeArea(_ edges: Edge.Set = .all) -> some View { _Modified() }
    public func safeAreaInset<V: View>(edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> V) -> some View { _Modified() }
    public func overlay<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { _Modified() }
    public func background<V: View>(alignment: Alignment = .center, @ViewBuilder content: () -> V) -> some View { _Modified() }
    public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View { _Modified() }
    public func background<S: ShapeStyle, T: InsettableShape>(_ style: S, in shape: T) -> some View { _Modified() }
    public func clipShape<S: Shape>(_ shape: S) -> some View { _Modified() }
    public func contentShape<S: Shape>(_ shape: S) -> some View { _Modified() }
    public func cornerRadius(_ radius: CGFloat, antialiased: Bool = true) -> some View { _Modified() }
    public func border<S: ShapeStyle>(_ content: S, width: CGFloat = 1) -> some View { _Modified() }
    public func shadow(color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0) -> some View { _Modified() }
    public func opacity(_ opacity: Double) -> some View { _Modified() }
    public func hidden() -> some View { _Modified() }
    public func scaleEffect(_ s: CGFloat) -> some View { _Modified() }
    public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View { _Modified() }
    public func scaledToFit() -> some View { _Modified() }
    public func scaledToFill() -> some View { _Modified() }
    public func imageScale(_ scale: Image.Scale) -> some View { _Modified() }
    public func font(_ font: Font?) -> some View { _Modified() }
    public func fontWeight(_ weight: Font.Weight?) -> some View { _Modified() }
    public func bold(_ isActive: Bool = true) -> some View { _Modified() }
    public func monospaced(_ isActive: Bool = true) -> some View { _Modified() }
    public func foregroundColor(_ color: Color?) -> some View { _Modified() }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { _Modified() }
    public func tint(_ tint: Color?) -> some View { _Modified() }
    public func lineLimit(_ number: Int?) -> some View { _Modified() }
    public func lineLimit(_ limit: ClosedRange<Int>) -> some View { _Modified() }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { _Modified() }
    public func minimumScaleFactor(_ factor: CGFloat) -> some View { _Modified() }
    public func truncationMode(_ mode: Text.TruncationMode) -> some View { _Modified() }
    public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View { _Modified() }
    public func dynamicTypeSize<T: RangeExpression>(_ range: T) -> some View where T.Bound == DynamicTypeSize { _Modified() }
    public func labelsHidden() -> some View { _Modified() }
    public func disabled(_ disabled: Bool) -> some View { _Modified() }
    public func speechSpellsOutCharacters(_ value: Bool = true) -> some View { _Modified() }
    public func id<ID: Hashable>(_ id: ID) -> some View { _Modified() }
    public func tag<V: Hashable>(_ tag: V) -> some View { _Modified() }
    public func privacySensitive(_ sensitive: Bool = true) -> some View { _Modified() }
    public func redacted(reason: RedactionReasons) -> some View { _Modified() }
    public func unredacted() -> some View { _Modified() }
    public func allowsHitTesting(_ enabled: Bool) -> some View { _Modified() }
    public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View { _Modified() }
    public func listRowBackground<V: View>(_ view: V?) -> some View { _Modified() }
    public func listRowInsets(_ insets: EdgeInsets?) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func listRowSeparator(_ visibility: Visibility, edges: VerticalEdge.Set = .all) -> some View { _Modified() }
    @available(tvOS, unavailable) public func scrollContentBackground(_ visibility: Visibility) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func textSelection<S: TextSelectability>(_ selectability: S) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable) public func badge(_ count: Int) -> some View { _Modified() }
    public func help(_ textKey: LocalizedStringKey) -> some View { _Modified() }
    @_disfavoredOverload public func help<S: StringProtocol>(_ text: S) -> some View { _Modified() }
    public func matchedGeometryEffect<ID: Hashable>(id: ID, in namespace: Namespace.ID) -> some View { _Modified() }
}
public enum Visibility: Hashable, CaseIterable, Sendable { case automatic, visible, hidden }
extension VerticalEdge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1), bottom = Set(rawValue: 2), all = Set(rawValue: 3)
    }
}
public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let placeholder = RedactionReasons(rawValue: 1), privacy = RedactionReasons(rawValue: 2)
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public protocol TextSelectability {}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct EnabledTextSelectability: TextSelectability {}
@available(tvOS, unavailable) @available(watchOS, unavailable)
extension TextSelectability where Self == EnabledTextSelectability { public static var enabled: Self { stub() } }

// Animation
public struct Animation: Equatable, Sendable {
    public static let `default`: Animation = stub()
    public static var easeInOut: Animation { stub() }
    public static var spring: Animation { stub() }
    public static func easeInOut(duration: TimeInterval) -> Animation { stub() }
}
public struct Transaction { public init() {} ; public init(animation: Animation?) {} }
public struct AnyTransition: Sendable {
    public static var opacity: AnyTransition { stub() }
    public static func move(edge: Edge) -> AnyTransition { stub() }
    public func combined(with other: AnyTransition) -> AnyTransition { stub() }
}
@MainActor @preconcurrency public protocol Transition {}
public struct OpacityTransition: Transition { nonisolated public init() {} }
public struct MoveTransition: Transition { nonisolated public init(edge: Edge) {} }
extension Transition where Self == OpacityTransition { public static var opacity: OpacityTransition { stub() } }
extension Transition where Self == MoveTransition { public static func move(edge: Edge) -> MoveTransition { stub() } }
public func withAnimation<Result>(_ animation: Animation? = .default, _ body: () throws -> Result) rethrows -> Result { stub() }
extension View {
    public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { _Modified() }
    public func transition<T: Transition>(_ transition: T) -> some View { _Modified() }
    @_disfavoredOverload public func transition(_ t: AnyTransition) -> some View { _Modified() }
}

// Events
extension View {
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { _Modified() }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { _Modified() }
    @preconcurrency public func task(priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { _Modified() }
    @preconcurrency public func task<T: Equatable>(id value: T, priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { _Modified() }
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void) -> some View { _Modified() }
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View { _Modified() }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { _Modified() }
    @available(tvOS 16.0, *) public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View { _Modified() }
    public func onSubmit(of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void) -> some View { _Modified() }
    @preconcurrency public func refreshable(@_inheritActorContext action: @escaping @Sendable () async -> Void) -> some View { _Modified() }
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View { _Modified() }
    public func focused<V: Hashable>(_ binding: FocusState<V>.Binding, equals value: V) -> some View { _Modified() }
    public func defaultFocus<V: Hashable>(_ binding: FocusState<V>.Binding, _ value: V) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func keyboardShortcut(_ shortcut: KeyboardShortcut) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func keyboardShortcut(_ key: KeyEquivalent, modifiers: EventModifiers = .command) -> some View { _Modified() }
    @available(watchOS, unavailable)
    public func contextMenu<M: View>(@ViewBuilder menuItems: () -> M) -> some View { _Modified() }
    @available(tvOS, unavailable)
    public func swipeActions<T: View>(edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T) -> some View { _Modified() }
    public func searchable(text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey) -> some View { _Modified() }
    @_disfavoredOverload public func searchable<S: StringProtocol>(text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: S) -> some View { _Modified() }
    public func searchable(text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil) -> some View { _Modified() }
}
public struct SearchFieldPlacement: Sendable { public static let automatic: Self = stub(), toolbar: Self = stub() }
public struct SubmitTriggers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let text = SubmitTriggers(rawValue: 1), search = SubmitTriggers(rawValue: 2)
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct KeyboardShortcut: Sendable { public static let defaultAction: Self = stub(), cancelAction: Self = stub() }
@available(tvOS 17.0, *) @available(watchOS, unavailable)
public struct KeyEquivalent: Sendable, ExpressibleByExtendedGraphemeClusterLiteral { public init(extendedGraphemeClusterLiteral: Character) {} ; public static let `return`: Self = stub(), escape: Self = stub() }
public struct EventModifiers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let command = EventModifiers(rawValue: 16), shift = EventModifiers(rawValue: 2)
}

// Presentation
extension View {
    public func sheet<Content: View>(isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content) -> some View { _Modified() }
    public func sheet<Item: Identifiable, Content: View>(item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content) -> some View { _Modified() }
    @available(macOS, unavailable)
    public func fullScreenCover<Content: View>(isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content) -> some View { _Modified() }
    @available(tvOS, unavailable) @available(watchOS, unavailable)
    public func popover<Content: View>(isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> Content) -> some View { _Modified() }
    public func alert<A: View>(_ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View { _Modified() }
    public func alert<A: View, M: View>(_ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M) -> some View { _Modified() }
    @_disfavoredOverload public func alert<S: StringProtocol, A: View>(_ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View { _Modified() }
    @_disfavoredOverload public func alert<S: StringProtocol, A: View, M: View>(_ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M) -> some View { _Modified() }
    public func confirmationDialog<A: View>(_ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> A) -> some View { _Modified() }
    @_disfavoredOverload public func confirmationDialog<S: StringProtocol, A: View>(_ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> A) -> some View { _Modified() }
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { _Modified() }
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { _Modified() }
}
public struct PresentationDetent: Hashable, Sendable {
    public static let medium: PresentationDetent = stub(), large: PresentationDetent = stub()
    public static func height(_ height: CGFloat) -> PresentationDetent { stub() }
    public static func fraction(_ fraction: CGFloat) -> PresentationDetent { stub() }
}
