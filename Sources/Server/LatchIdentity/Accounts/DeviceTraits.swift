// SPDX-License-Identifier: Apache-2.0

/// What a device seems to be, by what its client said of itself; for a person who looks for the right line of a list.
struct DeviceTraits: Sendable, Hashable {
    /// `phone`, `tablet`, `desktop`, or `other`.
    let kind: String
    /// Empty where nothing tells.
    let system: String
    let browser: String

    init(of device: Device) {
        let text = "\(device.name ?? "") \(device.userAgent ?? "")".lowercased()
        let first = { (table: [(String, String)]) in table.first { text.contains($0.0) }?.1 }
        system = first(Self.systems) ?? ""
        browser = first(Self.browsers) ?? ""
        kind = first(Self.kinds) ?? "other"
    }

    /// The narrower word first: every iPhone's browser says "Mac OS X" as well, and every Android "Linux".
    private static let systems = [
        ("iphone", "iOS"), ("ipad", "iPadOS"), ("ios", "iOS"), ("android", "Android"), ("watchos", "watchOS"),
        ("windows", "Windows"), ("macos", "macOS"), ("mac os", "macOS"), ("darwin", "macOS"), ("cros", "ChromeOS"),
        ("linux", "Linux"),
    ]
    private static let browsers = [
        ("edg/", "Edge"), ("opr/", "Opera"), ("firefox/", "Firefox"), ("chrome/", "Chrome"), ("safari/", "Safari"),
    ]
    private static let kinds = [
        ("ipad", "tablet"), ("tablet", "tablet"), ("iphone", "phone"), ("mobile", "phone"), ("android", "phone"),
        ("windows", "desktop"), ("mac", "desktop"), ("darwin", "desktop"), ("linux", "desktop"), ("cros", "desktop"),
    ]
}
