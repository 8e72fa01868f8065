"""What teachers show: how a rule reaches its answer, and questions with solutions."""
