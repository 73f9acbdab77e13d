// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Announcements. Source: https://developer.apple.com/documentation/accessibility/accessibilitynotification.
public import AppleFoundation

public enum AXSpeechAnnouncementPriority: Sendable { case low, `default`, high }
extension AttributedString {
    public var accessibilitySpeechAnnouncementPriority: AXSpeechAnnouncementPriority? { get { nil } set {} }
}
public enum AccessibilityNotification {
    public struct Announcement: Sendable {
        public init(_ announcement: String) {}
        public init(_ announcement: AttributedString) {}
        public func post() {}
    }
    public struct ScreenChanged: Sendable { public init() {} ; public func post() {} }
}
