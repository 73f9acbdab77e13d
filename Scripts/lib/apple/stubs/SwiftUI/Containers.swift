// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Layout, lists and navigation. Source: https://developer.apple.com/documentation/swiftui/view-layout.
public import AppleFoundation

private func stub<T>() -> T { fatalError() }

public struct HorizontalAlignment: Equatable, Sendable { public static let leading: Self = stub(), center: Self = stub(), trailing: Self = stub() }
public struct VerticalAlignment: Equatable, Sendable {
    public static let top: Self = stub(), center: Self = stub(), bottom: Self = stub(), firstTextBaseline: Self = stub(), lastTextBaseline: Self = stub()
}
public struct Alignment: Equatable, Sendable {
    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {}
    public static let center: Alignment = stub(), leading: Alignment = stub(), trailing: Alignment = stub(), top: Alignment = stub(), bottom: Alignment = stub()
    public static let topLeading: Alignment = stub(), topTrailing: Alignment = stub(), bottomLeading: Alignment = stub(), bottomTrailing: Alignment = stub()
}
public enum Axis: Int8, CaseIterable, Sendable {
    case horizontal, vertical
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let horizontal = Set(rawValue: 1), vertical = Set(rawValue: 2)
    }
}
public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public init(_ edge: Edge) { self.rawValue = 1 }
        public static let top = Set(rawValue: 1), leading = Set(rawValue: 2), bottom = Set(rawValue: 4), trailing = Set(rawValue: 8)
        public static let all = Set(rawValue: 15), horizontal = Set(rawValue: 10), vertical = Set(rawValue: 5)
    }
}
public enum HorizontalEdge: Int8, CaseIterable, Sendable { case leading, trailing }
public enum VerticalEdge: Int8, CaseIterable, Sendable { case top, bottom }
public struct EdgeInsets: Equatable, Sendable { public init(top: CGFloat, leading: CGFloat, bottom: CGFloat, trailing: CGFloat) {} ; public init() {} }
public enum ContentMode: Hashable, CaseIterable, Sendable { case fit, fill }
public enum TextAlignment: Hashable, CaseIterable, Sendable { case leading, center, trailing }

public struct VStack<Content: View>: View { nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct HStack<Content: View>: View { nonisolated public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct ZStack<Content: View>: View { nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct LazyVStack<Content: View>: View { nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct Grid<Content: View>: View { nonisolated public init(alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil, verticalSpacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct GridRow<Content: View>: View { nonisolated public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct ViewThatFits<Content: View>: View { nonisolated public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct Group<Content> {}
extension Group: View where Content: View { nonisolated public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
extension Group: ToolbarContent where Content: ToolbarContent { nonisolated public init(@ToolbarContentBuilder content: () -> Content) {} }
public struct ScrollView<Content: View>: View { nonisolated public init(_ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct Spacer: Sendable { public init(minLength: CGFloat? = nil) {} }
extension Spacer: View { public var body: Never { return stub() } }
public struct Divider: View { nonisolated public init() {} ; public var body: Never { return stub() } }
public struct GeometryProxy { public var size: CGSize { stub() } }
public struct GeometryReader<Content: View>: View { nonisolated public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) {} ; public var body: Never { return stub() } }

// Lists and forms
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View { public var body: Never { return stub() } }
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach where Content: View {
    nonisolated public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach where Content: View, Data == Range<Int>, ID == Int {
    nonisolated public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content) {}
}
extension ForEach where Content: View {
    @available(tvOS, unavailable)
    nonisolated public func onDelete(perform action: ((IndexSet) -> Void)?) -> some View { _Modified() }
    nonisolated public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> some View { _Modified() }
}
public struct List<SelectionValue: Hashable, Content: View>: View { public var body: Never { return stub() } }
extension List where SelectionValue == Never {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
    nonisolated public init<Data: RandomAccessCollection, RowContent: View>(_ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {}
    nonisolated public init<Data: RandomAccessCollection, ID: Hashable, RowContent: View>(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent) where Content == ForEach<Data, ID, RowContent> {}
}
extension List {
    @available(watchOS 10.0, *)
    nonisolated public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) {}
}
public struct Form<Content: View>: View { nonisolated public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct Section<Parent, Content, Footer> {}
extension Section: View where Parent: View, Content: View, Footer: View {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer) {}
    public var body: Never { return stub() }
}
extension Section where Parent == EmptyView, Content: View, Footer == EmptyView { nonisolated public init(@ViewBuilder content: () -> Content) {} }
extension Section where Parent: View, Content: View, Footer == EmptyView { nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {} }
extension Section where Parent == EmptyView, Content: View, Footer: View { nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {} }
extension Section where Parent == Text, Content: View, Footer == EmptyView {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct DisclosureGroup<Label: View, Content: View>: View {
    nonisolated public init(@ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label) {}
    nonisolated public init(isExpanded: Binding<Bool>, @ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label) {}
    public var body: Never { return stub() }
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
extension DisclosureGroup where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: @escaping () -> Content) {}
    nonisolated public init(_ titleKey: LocalizedStringKey, isExpanded: Binding<Bool>, @ViewBuilder content: @escaping () -> Content) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ label: S, isExpanded: Binding<Bool>, @ViewBuilder content: @escaping () -> Content) {}
}
@available(tvOS, unavailable) @available(watchOS, unavailable)
public struct GroupBox<Label: View, Content: View>: View {
    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {}
    nonisolated public init(@ViewBuilder content: () -> Content) where Label == EmptyView {}
    public var body: Never { return stub() }
}
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: View {
    nonisolated public init(@ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() }, @ViewBuilder actions: () -> Actions = { EmptyView() }) {}
    public var body: Never { return stub() }
}

// Navigation
public struct NavigationPath: Sendable {
    public init() {}
    public var isEmpty: Bool { stub() }
    public mutating func append<V: Hashable>(_ value: V) {}
    public mutating func removeLast(_ k: Int = 1) {}
}
public struct NavigationStack<Data, Root: View>: View {
    nonisolated public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {}
    nonisolated public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) where Data == NavigationPath {}
    nonisolated public init(path: Binding<Data>, @ViewBuilder root: () -> Root) where Data: MutableCollection, Data: RandomAccessCollection, Data: RangeReplaceableCollection, Data.Element: Hashable {}
    public var body: Never { return stub() }
}
@available(macOS, deprecated: 100000.0) @available(iOS, deprecated: 100000.0) @available(watchOS 7.0, *)
public struct NavigationView<Content: View>: View { nonisolated public init(@ViewBuilder content: () -> Content) {} ; public var body: Never { return stub() } }
public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: View {
    nonisolated public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail) where Content == EmptyView {}
    nonisolated public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder content: () -> Content, @ViewBuilder detail: () -> Detail) {}
    public var body: Never { return stub() }
}
public struct NavigationLink<Label: View, Destination: View>: View {
    nonisolated public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {}
    nonisolated public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) where Destination == Never {}
    public var body: Never { return stub() }
}
extension NavigationLink where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {}
    nonisolated public init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?) where Destination == Never {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol, P: Hashable>(_ title: S, value: P?) where Destination == Never {}
}
public struct TabView<SelectionValue: Hashable, Content: View>: View {
    nonisolated public init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {}
    public var body: Never { return stub() }
}
extension TabView where SelectionValue == Int { nonisolated public init(@ViewBuilder content: () -> Content) {} }
extension View {
    public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { _Modified() }
    @_disfavoredOverload public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { _Modified() }
    public func navigationTitle(_ title: Text) -> some View { _Modified() }
    public func navigationDestination<D: Hashable, C: View>(for data: D.Type, @ViewBuilder destination: @escaping (D) -> C) -> some View { _Modified() }
    public func navigationDestination<V: View>(isPresented: Binding<Bool>, @ViewBuilder destination: () -> V) -> some View { _Modified() }
    public func navigationDestination<D: Hashable, C: View>(item: Binding<Optional<D>>, @ViewBuilder destination: @escaping (D) -> C) -> some View { _Modified() }
    public func navigationBarBackButtonHidden(_ hidesBackButton: Bool = true) -> some View { _Modified() }
    @available(macOS, unavailable) @available(tvOS, unavailable)
    public func navigationBarTitleDisplayMode(_ displayMode: NavigationBarItem.TitleDisplayMode) -> some View { _Modified() }
    public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { _Modified() }
}
@available(macOS, unavailable) @available(tvOS, unavailable)
public struct NavigationBarItem: Sendable { public enum TitleDisplayMode: Sendable { case automatic, inline, large } }

// Toolbars
@MainActor @preconcurrency public protocol ToolbarContent {}
extension Optional: ToolbarContent where Wrapped: ToolbarContent {}
public struct _Toolbar: ToolbarContent {}
@resultBuilder public struct ToolbarContentBuilder {
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { stub() }
    public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> some ToolbarContent { _Toolbar() }
    public static func buildBlock<each Content: ToolbarContent>(_ content: repeat each Content) -> some ToolbarContent { _Toolbar() }
    public static func buildIf<Content: ToolbarContent>(_ content: Content?) -> Content? { stub() }
}
public struct ToolbarItemPlacement: Sendable {
    public static let automatic: Self = stub(), principal: Self = stub(), cancellationAction: Self = stub(), confirmationAction: Self = stub()
    public static let destructiveAction: Self = stub(), primaryAction: Self = stub()
    @available(macOS, unavailable) @available(watchOS 10.0, *) public static let topBarLeading: Self = stub()
    @available(macOS, unavailable) @available(watchOS 10.0, *) public static let topBarTrailing: Self = stub()
    @available(macOS, unavailable) @available(tvOS, unavailable) @available(watchOS 10.0, *) public static let bottomBar: Self = stub()
    @available(tvOS, unavailable) @available(watchOS, unavailable) public static let navigation: Self = stub()
}
public struct ToolbarItem<ID, Content: View>: ToolbarContent {
    nonisolated public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) where ID == () {}
}
public struct ToolbarItemGroup<Content: View>: ToolbarContent {
    nonisolated public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {}
}
extension View {
    public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { _Modified() }
    public func toolbar<Content: ToolbarContent>(@ToolbarContentBuilder content: () -> Content) -> some View { _Modified() }
}
