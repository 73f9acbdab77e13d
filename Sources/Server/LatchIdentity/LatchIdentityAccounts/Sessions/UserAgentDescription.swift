// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// A description of a device for the list of devices, guessed from its User-Agent and name.
package struct UserAgentDescription: Sendable, Hashable {
    /// The form factor: `phone`, `tablet`, `desktop`, or `other`.
    package let formFactor: String
    /// The operating system; empty if unknown.
    package let system: String
    /// The browser; empty if unknown.
    package let browser: String

    package init(of device: Device) {
        let text = "\(device.name ?? "") \(device.userAgent ?? "")".lowercased()
        let first = { (table: [(String, String)]) in table.first { text.utf8.contains($0.0.utf8) }?.1 }
        system = first(Self.systems) ?? ""
        browser = first(Self.browsers) ?? ""
        formFactor = first(Self.formFactors) ?? "other"
    }

    /// The systems by keyword, the more specific first: iPhones also claim "Mac OS X", and Android "Linux".
    private static let systems = [
        ("iphone", "iOS"), ("ipad", "iPadOS"), ("ios", "iOS"), ("android", "Android"), ("watchos", "watchOS"),
        ("windows", "Windows"), ("macos", "macOS"), ("mac os", "macOS"), ("darwin", "macOS"), ("cros", "ChromeOS"),
        ("linux", "Linux"),
    ]
    private static let browsers = [
        ("edg/", "Edge"), ("edga/", "Edge"), ("edgios/", "Edge"), ("opr/", "Opera"), ("firefox/", "Firefox"),
        ("fxios/", "Firefox"), ("samsungbrowser/", "Samsung Internet"), ("crios/", "Chrome"), ("chrome/", "Chrome"),
        ("safari/", "Safari"),
    ]
    private static let formFactors = [
        ("ipad", "tablet"), ("tablet", "tablet"), ("iphone", "phone"), ("mobile", "phone"), ("android", "phone"),
        ("windows", "desktop"), ("mac", "desktop"), ("darwin", "desktop"), ("linux", "desktop"), ("cros", "desktop"),
    ]
}
