// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchTexts
public import SwiftUI

/// The lock of an app in a scene.
@MainActor
struct SceneLock {
    let model: AppLockModel
    let scene: UUID

    /// The part of the app that the scene shows.
    var phase: AppLock.Phase { model.lock.phase(of: scene) }
    /// The name of the app.
    var app: String { model.unlock.screen.app }
}

private struct AppLockKey: EnvironmentKey {
    static let defaultValue: SceneLock? = nil
}

extension EnvironmentValues {
    /// The lock of the app around this view; nil for none.
    var appLock: SceneLock? {
        get { self[AppLockKey.self] }
        set { self[AppLockKey.self] = newValue }
    }
}

/// The cover and the lock above an app's content.
struct AppLockView: ViewModifier {
    /// The lock; nil for an app without one.
    let model: AppLockModel?
    /// Whether there is something to protect.
    var isNeeded = true
    /// The scene of the window; nil for one that only the lock knows.
    var scene: UUID?
    @Environment(\.scenePhase) private var phase
    @State private var ownScene = UUID()

    func body(content: Content) -> some View {
        content
            .environment(\.appLock, shown)
            .accessibilityHidden(shown.map { $0.phase != .open } ?? false)
            .overlay {
                if let shown, shown.phase != .open {
                    if shown.phase == .locked {
                        UnlockView(shown.model.unlock).background(.background)
                    } else {
                        AppCover(app: shown.app)
                    }
                }
            }
            .onChange(of: phase, initial: true) { model?.receive(AppLock.Activity(phase), of: scene ?? ownScene) }
            .onDisappear { model?.receive(.background, of: scene ?? ownScene) }
    }

    private var shown: SceneLock? { isNeeded ? model.map { SceneLock(model: $0, scene: scene ?? ownScene) } : nil }
}

/// The cover of an inactive app, so that the app switcher shows nothing.
private struct AppCover: View {
    let app: String
    @Environment(\.authTexts) private var texts

    var body: some View {
        Rectangle()
            .fill(.background)
            .ignoresSafeArea()
            .accessibilityLabel(texts(Phrase("lock.cover", .text(app))))
    }
}

/// A sheet, which is above the lock of its app: it closes while the app is locked, and is covered until it has closed.
private struct LockedSheet<Sheet: View>: ViewModifier {
    let isPresented: Binding<Bool>
    let sheet: () -> Sheet
    @Environment(\.appLock) private var lock

    func body(content: Content) -> some View {
        let (isPresented, lock) = (isPresented, lock)
        content.sheet(
            isPresented: Binding(
                get: { @MainActor in isPresented.wrappedValue && lock?.model.lock.isLocked != true },
                // The sheet closes automatically for the lock, and comes back after it.
                set: { @MainActor in if lock?.model.lock.isLocked != true { isPresented.wrappedValue = $0 } })
        ) {
            sheet().overlay { if let lock, lock.phase != .open { AppCover(app: lock.app) } }
        }
    }
}

extension AppLock.Activity {
    /// Creates the activity of a scene.
    init(_ phase: ScenePhase) {
        switch phase {
        case .active: self = .active
        case .background: self = .background
        default: self = .inactive
        }
    }
}

extension View {
    /// Covers the content while the app is inactive, and locks it after a time in the background.
    ///
    /// Sheets inside it are ``lockedSheet(isPresented:content:)``: the system shows any other above the lock. An
    /// ``AuthModel`` has the lock as its property, and needs no modifier.
    public func appLock(_ model: AppLockModel) -> some View { modifier(AppLockView(model: model)) }

    /// Presents a sheet that closes while the app is locked, and is covered while it is inactive.
    public func lockedSheet(
        isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View
    ) -> some View {
        modifier(LockedSheet(isPresented: isPresented, sheet: content))
    }
}
#endif
